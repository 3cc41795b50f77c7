import type { TemplateId, TemplateText } from './templates.ts';

export const japanese: Readonly<Record<TemplateId, TemplateText>> = {
  verify_email: {
    subject: '{code} は {project} の確認コードです',
    body: [
      'このコードで {project} のメールアドレスを確認してください。',
      '{code}',
      'または、次のボタンで確認できます。',
      '{link}',
      'どちらも {minutes} 分間有効です。心当たりがない場合は、このメールを無視してください。何も行われません。',
    ].join('\n\n'),
    action: 'アドレスを確認',
  },
  sign_in_code: {
    subject: '{code} は {project} のコードです',
    body: [
      '{project} にサインインするためのコードです。',
      '{code}',
      '{minutes} 分間有効です。心当たりがない場合は、このメールを無視してください。コードがなければ何も行われません。',
    ].join('\n\n'),
    action: '',
  },
  magic_link: {
    subject: '{project} にサインイン',
    body: [
      'このリンクで {project} にサインインできます。',
      '{link}',
      'または、依頼した画面でこのコードを入力してください。',
      '{code}',
      'どちらも {minutes} 分間、一度だけ有効です。心当たりがない場合は、このメールを無視してください。',
    ].join('\n\n'),
    action: 'サインイン',
  },
  reset_password: {
    subject: '{project} のパスワードの再設定',
    body: [
      '{project} の新しいパスワードを設定してください。',
      '{link}',
      'または、依頼した画面でこのコードを入力してください。',
      '{code}',
      'どちらも {minutes} 分間有効です。心当たりがない場合は、このメールを無視してください。パスワードは変わりません。',
    ].join('\n\n'),
    action: '新しいパスワードを設定',
  },
  change_email: {
    subject: '{code} は {project} の新しいアドレスの確認コードです',
    body: [
      'このコードで {project} のアカウントの新しいアドレスを確認してください。',
      '{code}',
      '{minutes} 分間有効です。心当たりがない場合は、このメールを無視してください。',
    ].join('\n\n'),
    action: '',
  },
  known_address: {
    subject: '{project} のアカウントはすでにあります',
    body: [
      'このアドレスで {project} への登録が試みられました。アカウントはすでにありますので、サインインしてください。',
      '心当たりがない場合も、何も変更されていないため、対応は不要です。',
    ].join('\n\n'),
    action: '',
  },
  setup_link: {
    subject: '{project} での {organization} の設定',
    body: [
      '{project} が {organization} の設定をお願いしています。設定できる内容はこのリンクのページにあります。',
      '{link}',
      'リンクは {days, plural, other {# 日間}}有効です。パスワードなしで開けるため、他の人に渡さないでください。心当たりがない場合は、このメールを無視してください。',
    ].join('\n\n'),
    action: '始める',
  },
  invitation: {
    subject: '{project} への招待',
    body: [
      '{project} に招待されました。',
      '{link}',
      '招待は {days, plural, other {# 日間}}有効です。心当たりがない場合は、このメールを無視してください。',
    ].join('\n\n'),
    action: '招待を受ける',
  },
  new_device: {
    subject: '{project} への新しいサインイン',
    body: [
      'これまで使われていない端末から {project} のアカウントへのサインインがありました。',
      '端末: {device}\nアドレス: {ip}\n日時: {time}',
      'ご自身の操作であれば、対応は不要です。そうでない場合は、パスワードを変更し、アカウント設定でセッションを終了してください。',
    ].join('\n\n'),
    action: '',
  },
  credential_changed: {
    subject: '{project} のアカウントが変更されました',
    body: [
      '{change, select, password {アカウントのパスワードが変更されました。} email {アカウントのメールアドレスが変更されました。} phone {アカウントの電話番号が変更されました。} totp_added {アカウントに認証アプリが追加されました。} totp_removed {アカウントから認証アプリが削除されました。} phone_factor_added {アカウントの二段階目として電話が追加されました。} phone_factor_removed {アカウントの二段階目から電話が削除されました。} passkey_added {アカウントにパスキーが追加されました。} passkey_removed {アカウントからパスキーが削除されました。} passkey_changed {パスキーを二段階目として使う設定が変更されました。} recovery_codes {アカウントの新しい回復コードが作成されました。} recovery_code_used {アカウントの回復コードが使用されました。} mfa_reset {管理者によりアカウントの二段階認証が解除されました。} identity_linked {アカウントに外部サービスが連携されました。} identity_unlinked {アカウントから外部サービスの連携が解除されました。} reclaimed {このアドレスがあなたのものであることが確認されました。それ以前にこのアカウントに設定されていたパスワード、パスキー、二段階目、連携サービス、セッションはすべて削除されました。} other {アカウントが変更されました。}}',
      '日時: {time}',
      '心当たりがない場合は、すぐにパスワードを再設定し、{project} に連絡してください。',
    ].join('\n\n'),
    action: '',
  },
  account_erasure: {
    subject: '{project} のアカウントは削除されます',
    body: [
      '{project} のアカウントと、保存されているあなたの情報はすべて {date} に削除されます。',
      '残すには、それまでにサインインしてください。心当たりがない場合は、サインインしてパスワードを変更してください。',
    ].join('\n\n'),
    action: '',
  },
  application_acts: {
    subject: '{application} が {project} であなたの代理として動作しています',
    body: [
      '{project} のアプリケーション {application} が、あなたの代理として動作を開始しました。あなたが与えた権限の範囲で、あなたの名義でサービスを利用できます。',
      '開始時刻：{time}。サインアウトすると終了します。アカウント設定の「アプリケーション」で確認し、取り消すことができます。',
      '心当たりがない場合は、セッションを終了し、{project} にお問い合わせください。',
    ].join('\n\n'),
    action: '',
  },
  impersonated: {
    subject: '{project} で担当者があなたとして操作しています',
    body: [
      '{project} のチームの担当者が、{time} から最長 {minutes} 分間、あなたとして操作しています。担当者はあなたと同じようにサービスを表示し、利用します。サインインの方法を変更することはできません。',
      '担当者が示した理由：{reason}',
      '心当たりがない場合は、アカウントで終了するか、{project} にお問い合わせください。',
    ].join('\n\n'),
    action: '',
  },
  account_throttled: {
    subject: '{project} のアカウントへのサインイン失敗が続いています',
    body: [
      '{project} のアカウントに、誤ったパスワードによるサインインが何度も試みられました（最後は {time}）。このような試みは制限されます。以前に使った場所からは引き続きサインインでき、パスワードの再設定もできます。',
      '心当たりがない場合は、長い専用のパスワードとパスキーがアカウントを守ります。',
    ].join('\n\n'),
    action: '',
  },
  failed_attempts: {
    subject: '失敗の後のサインイン',
    body: [
      '{time} に、{count, plural, other {# 回}}の失敗の後で {project} のアカウントへのサインインがありました。ご自身の操作であれば、対応は不要です。そうでない場合は、今すぐパスワードを変更してください。',
    ].join('\n\n'),
    action: '',
  },
  deletion: {
    subject: '{what, select, workspace {ワークスペース} other {プロジェクト}} {name} は削除されます',
    body: [
      '{person} さんが{what, select, workspace {ワークスペース {name} とそのすべてのプロジェクト} other {ワークスペース {workspace} のプロジェクト {name}}}の削除を申請しました。現在は閉鎖されており、サインインもインターフェースの利用もできません。',
      '{date} に、アカウントを含むすべてが完全に削除されます。それまでは所有者が元に戻せます。',
      '{link}',
      'どなたも心当たりがない場合は、元に戻してパスワードを変更してください。',
    ].join('\n\n'),
    action: 'コンソールを開く',
  },
  webhook_disabled: {
    subject: '{name} への Webhook を停止しました',
    body: [
      '{reason, select, gone {受信側が「存在しない」(410) と応答した} other {5 日間すべての送信が失敗した}}ため、{project} は次の Webhook エンドポイントへのイベント送信を停止しました。',
      '{url}\n時刻: {time}',
      '失われたものはありません。すべての出来事はイベントログに残っています。受信側が復旧したら、エンドポイントを有効にして、受け取れなかった分を再送してください。',
    ].join('\n\n'),
    action: '',
  },
  status_confirm: {
    subject: '確認：{project} の稼働状況のお知らせ',
    body: [
      'このアドレスで {project} の稼働状況のお知らせを受け取る申し込みがありました。確認していただくと、障害やメンテナンスが始まったとき、進展したとき、終わったときにお知らせします。',
      '{link}',
      'リンクは24時間有効です。お心当たりがなければ、このメールは無視してください。何も送信されません。',
    ].join('\n\n'),
    action: '確認する',
  },
  status_code: {
    subject: '{code} は登録内容を開くコードです',
    body: [
      '{project} の稼働状況のお知らせを変更・停止するためのコードです。',
      '{code}',
      '{minutes} 分間有効です。お心当たりがなければ、このメールは無視してください。',
    ].join('\n\n'),
    action: '',
  },
  status_notice: {
    subject:
      '[{project}] {title}：{phase, select, investigating {調査中} identified {原因特定} monitoring {経過観察} resolved {解決済み} scheduled {予定} in_progress {実施中} verifying {確認中} completed {完了} reminder {まもなく} cancelled {中止} other {更新}}',
    body: [
      '{title}：{phase, select, investigating {調査中} identified {原因特定} monitoring {経過観察} resolved {解決済み} scheduled {予定} in_progress {実施中} verifying {確認中} completed {完了} reminder {まもなく} cancelled {中止} other {更新}}',
      '{body}',
      '{components, select, none {時刻：{time}} other {影響範囲：{components}\n時刻：{time}}}',
      '{link}',
      '配信停止：{unsubscribe}',
    ].join('\n\n'),
    action: '稼働状況を開く',
  },
  status_alert: {
    subject:
      '{project}（{environment}）：{overall, select, degraded {稼働状況が低下しています} other {すべて復旧しました}}',
    body: [
      '{overall, select, degraded {{project}（{environment}）は {time} から低下しています。} other {{project}（{environment}）は {time} に復旧しました。}} {components, select, none {} other {影響範囲：{components}}}',
      '{link}',
    ].join('\n\n'),
    action: '稼働状況を開く',
  },
  sms_code: {
    subject: '',
    body: ['{project} のコード: {code} 他の人に教えないでください。'].join('\n\n'),
    action: '',
  },
  status_sms_confirm: {
    subject: '',
    body: '{project}: 通知の確認 {link}',
    action: '',
  },
  status_sms_code: {
    subject: '',
    body: '{project}: 登録内容を開くコード {code}',
    action: '',
  },
  status_sms_notice: {
    subject: '',
    body: '{project}: {title} ({phase}) {link}',
    action: '',
  },
};
