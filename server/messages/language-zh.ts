import type { TemplateId, TemplateText } from './templates.ts';

export const chinese: Readonly<Record<TemplateId, TemplateText>> = {
  verify_email: {
    subject: '{code} 是你的 {project} 验证码',
    body: [
      '请用此验证码确认你在 {project} 的邮箱地址：',
      '{code}',
      '或者一步确认：',
      '{link}',
      '两者在 {minutes} 分钟内有效。如果不是你本人操作，请忽略此邮件，不会发生任何更改。',
    ].join('\n\n'),
    action: '确认地址',
  },
  sign_in_code: {
    subject: '{code} 是你的 {project} 验证码',
    body: ['你登录 {project} 的验证码：', '{code}', '{minutes} 分钟内有效。如果不是你本人操作，请忽略此邮件。'].join(
      '\n\n',
    ),
    action: '',
  },
  magic_link: {
    subject: '登录 {project}',
    body: [
      '用此链接登录 {project}：',
      '{link}',
      '或者在你发起请求的页面输入此验证码：',
      '{code}',
      '两者在 {minutes} 分钟内有效，且只能使用一次。如果不是你本人操作，请忽略此邮件。',
    ].join('\n\n'),
    action: '登录',
  },
  reset_password: {
    subject: '重置你的 {project} 密码',
    body: [
      '为 {project} 设置新密码：',
      '{link}',
      '或者在你发起请求的页面输入此验证码：',
      '{code}',
      '两者在 {minutes} 分钟内有效。如果不是你本人操作，请忽略此邮件，你的密码不会改变。',
    ].join('\n\n'),
    action: '设置新密码',
  },
  change_email: {
    subject: '{code} 用于确认你的 {project} 新地址',
    body: [
      '请用此验证码确认你的 {project} 账户的新地址：',
      '{code}',
      '{minutes} 分钟内有效。如果不是你本人操作，请忽略此邮件。',
    ].join('\n\n'),
    action: '',
  },
  known_address: {
    subject: '你已有 {project} 账户',
    body: [
      '有人（可能是你）尝试用此地址注册 {project}。你已有账户，请直接登录。',
      '如果不是你本人操作，无需处理，没有任何更改。',
    ].join('\n\n'),
    action: '',
  },
  setup_link: {
    subject: '在 {project} 设置 {organization}',
    body: [
      '{project} 请您设置 {organization}。您可以设置的内容见此链接的页面。',
      '{link}',
      '链接在 {days, plural, other {# 天}}内有效。它不需要密码，请勿转发。如果您没有预料到此邮件，请忽略。',
    ].join('\n\n'),
    action: '开始',
  },
  invitation: {
    subject: '邀请你加入 {project}',
    body: [
      '你被邀请加入 {project}。',
      '{link}',
      '邀请在 {days, plural, other {# 天}}内有效。如果你不了解此事，请忽略此邮件。',
    ].join('\n\n'),
    action: '接受邀请',
  },
  new_device: {
    subject: '{project} 有新的登录',
    body: [
      '你的 {project} 账户在一台未曾使用过的设备上登录。',
      '设备：{device}\n地址：{ip}\n时间：{time}',
      '如果是你本人，无需处理。如果不是，请更改密码，并在账户设置中结束该会话。',
    ].join('\n\n'),
    action: '',
  },
  credential_changed: {
    subject: '你的 {project} 账户已更改',
    body: [
      '{change, select, password {你的账户密码已更改。} email {你的账户邮箱地址已更改。} phone {你的账户电话号码已更改。} totp_added {你的账户添加了身份验证器应用。} totp_removed {你的账户移除了身份验证器应用。} phone_factor_added {你的账户添加了电话作为第二步验证。} phone_factor_removed {你的账户移除了电话第二步验证。} passkey_added {你的账户添加了通行密钥。} passkey_removed {你的账户移除了一个通行密钥。} passkey_changed {你的账户更改了通行密钥是否作为第二步验证。} recovery_codes {你的账户生成了新的恢复码。} recovery_code_used {你的账户使用了一个恢复码。} mfa_reset {管理员移除了你的账户的第二步验证。} identity_linked {你的账户关联了一个登录服务。} identity_unlinked {你的账户取消了一个登录服务的关联。} reclaimed {你已确认此地址属于你。此前为其账户设置的密码、通行密钥、第二步验证、关联的登录服务和会话均已移除。} other {你的账户已更改。}}',
      '时间：{time}',
      '如果不是你本人操作，请立即重置密码并联系 {project}。',
    ].join('\n\n'),
    action: '',
  },
  account_erasure: {
    subject: '你的 {project} 账户将被删除',
    body: [
      '你的 {project} 账户以及保存的所有与你有关的信息将于 {date} 删除。',
      '如需保留，请在此之前登录。如果不是你本人操作，请登录并更改密码。',
    ].join('\n\n'),
    action: '',
  },
  application_acts: {
    subject: '{application} 正在 {project} 中代您操作',
    body: [
      '{project} 的应用 {application} 现在代您操作：它可以在您授予的权限范围内，以您的名义使用服务。',
      '开始时间：{time}。您退出登录时结束。您可以在账户设置的“应用”中查看并移除它。',
      '如果这不是您所预期的，请结束您的会话并联系 {project}。',
    ].join('\n\n'),
    action: '',
  },
  impersonated: {
    subject: '有人正在 {project} 中以您的身份操作',
    body: [
      '{project} 团队的一名成员自 {time} 起以您的身份操作，最长 {minutes} 分钟。该成员会像您一样查看和使用服务，但无法更改您的登录方式。',
      '其给出的原因：{reason}',
      '如果这不是您所预期的，请在您的账户中结束操作，或联系 {project}。',
    ].join('\n\n'),
    action: '',
  },
  account_throttled: {
    subject: '你的 {project} 账户多次登录失败',
    body: [
      '有人多次用错误的密码尝试登录你的 {project} 账户，最近一次在 {time}。我们会限制此类尝试。你仍可从以前用过的地方登录，或重置密码。',
      '如果不是你本人操作，一个专用的长密码和通行密钥可以保护你的账户。',
    ].join('\n\n'),
    action: '',
  },
  failed_attempts: {
    subject: '多次失败后的登录',
    body: [
      '在 {count, plural, other {# 次}}失败尝试之后，你的 {project} 账户于 {time} 登录。如果是你本人，无需处理。如果不是，请立即更改密码。',
    ].join('\n\n'),
    action: '',
  },
  deletion: {
    subject: '{what, select, workspace {工作区} other {项目}} {name} 将被删除',
    body: [
      '{person} 申请删除{what, select, workspace {工作区 {name} 及其所有项目} other {工作区 {workspace} 的项目 {name}}}。它现已关闭：任何人都无法登录或使用其接口。',
      '{date} 将永久删除其中的一切，包括所有账户。在此之前，所有者可以将其恢复。',
      '{link}',
      '如果这不是你们任何人的意愿，请将其恢复并更改密码。',
    ].join('\n\n'),
    action: '打开控制台',
  },
  webhook_disabled: {
    subject: '已停止向 {name} 发送 Webhook',
    body: [
      '由于{reason, select, gone {接收方答复其已永久停用（410）} other {连续五天所有尝试均失败}}，{project} 已停止向以下 Webhook 端点发送事件：',
      '{url}\n时间：{time}',
      '没有任何数据丢失：所有事件都保存在事件日志中。接收方恢复后，请启用该端点并补发错过的事件。',
    ].join('\n\n'),
    action: '',
  },
  status_confirm: {
    subject: '请确认：接收 {project} 的状态通知',
    body: [
      '有人（也许是您）希望用此地址接收 {project} 的状态通知。确认后，我们会在事件或维护开始、进展或结束时写信：',
      '{link}',
      '链接 24 小时内有效。如果不是您要求的，请忽略此邮件，不会再发送任何内容。',
    ].join('\n\n'),
    action: '确认',
  },
  status_code: {
    subject: '{code} 可打开您的状态订阅',
    body: [
      '用于更改或取消 {project} 状态订阅的验证码：',
      '{code}',
      '{minutes} 分钟内有效。如果不是您要求的，请忽略此邮件。',
    ].join('\n\n'),
    action: '',
  },
  status_notice: {
    subject:
      '[{project}] {title}：{phase, select, investigating {调查中} identified {已查明原因} monitoring {观察中} resolved {已解决} scheduled {已计划} in_progress {进行中} verifying {验证中} completed {已完成} reminder {即将开始} cancelled {已取消} other {更新}}',
    body: [
      '{title}：{phase, select, investigating {调查中} identified {已查明原因} monitoring {观察中} resolved {已解决} scheduled {已计划} in_progress {进行中} verifying {验证中} completed {已完成} reminder {即将开始} cancelled {已取消} other {更新}}',
      '{body}',
      '{components, select, none {时间：{time}} other {受影响：{components}\n时间：{time}}}',
      '{link}',
      '退订：{unsubscribe}',
    ].join('\n\n'),
    action: '打开状态页',
  },
  status_alert: {
    subject: '{project}（{environment}）：{overall, select, degraded {状态异常} other {已全部恢复}}',
    body: [
      '{overall, select, degraded {{project}（{environment}）自 {time} 起状态异常。} other {{project}（{environment}）已于 {time} 恢复正常。}} {components, select, none {} other {受影响：{components}}}',
      '{link}',
    ].join('\n\n'),
    action: '打开状态页',
  },
  sms_code: {
    subject: '',
    body: ['{code} 是你的 {project} 验证码，请勿告诉他人。'].join('\n\n'),
    action: '',
  },
  status_sms_confirm: {
    subject: '',
    body: '{project}: 确认订阅 {link}',
    action: '',
  },
  status_sms_code: {
    subject: '',
    body: '{project}: {code} 用于管理状态订阅，请勿告诉他人。',
    action: '',
  },
  status_sms_notice: {
    subject: '',
    body: '{project}: {title} ({phase}) {link}',
    action: '',
  },
};
