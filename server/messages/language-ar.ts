import type { TemplateId, TemplateText } from './templates.ts';

const MINUTES = '{minutes, plural, one {دقيقة واحدة} two {دقيقتين} few {# دقائق} many {# دقيقة} other {# دقيقة}}';
const DAYS = '{days, plural, one {يومًا واحدًا} two {يومين} few {# أيام} many {# يومًا} other {# يوم}}';
const PHASE =
  '{phase, select, investigating {قيد التحقيق} identified {عُرف السبب} monitoring {قيد المراقبة} resolved {تم الحل} scheduled {مجدولة} in_progress {جارية} verifying {قيد التحقق} completed {اكتملت} reminder {قريبًا} cancelled {أُلغيت} other {تحديث}}';

export const arabic: Readonly<Record<TemplateId, TemplateText>> = {
  verify_email: {
    subject: '{code} هو رمزك لدى {project}',
    body: [
      'أكّد عنوانك لدى {project} بهذا الرمز:',
      '{code}',
      'أو أكّده بخطوة واحدة:',
      '{link}',
      `كلاهما صالح ${MINUTES}. إذا لم تطلب ذلك، فتجاهل هذه الرسالة. لن يحدث شيء.`,
    ].join('\n\n'),
    action: 'تأكيد العنوان',
  },
  sign_in_code: {
    subject: '{code} هو رمزك لدى {project}',
    body: [
      'رمزك لتسجيل الدخول إلى {project}:',
      '{code}',
      `يبقى صالحًا ${MINUTES}. إذا لم تطلبه، فتجاهل هذه الرسالة. لا يمكن لأحد تسجيل الدخول من دون الرمز.`,
    ].join('\n\n'),
    action: '',
  },
  magic_link: {
    subject: 'تسجيل الدخول إلى {project}',
    body: [
      'سجّل الدخول إلى {project} بهذا الرابط:',
      '{link}',
      'أو أدخل هذا الرمز حيث طلبته:',
      '{code}',
      `يعملان مرة واحدة، ويبقيان صالحين ${MINUTES}. إذا لم تطلب ذلك، فتجاهل هذه الرسالة. لا يمكن لأحد تسجيل الدخول من دونها.`,
    ].join('\n\n'),
    action: 'تسجيل الدخول',
  },
  reset_password: {
    subject: 'إعادة تعيين كلمة مرورك لدى {project}',
    body: [
      'اختر كلمة مرور جديدة لـ {project}:',
      '{link}',
      'أو أدخل هذا الرمز حيث طلبته:',
      '{code}',
      `كلاهما صالح ${MINUTES}. إذا لم تطلب ذلك، فتجاهل هذه الرسالة. لن تتغير كلمة مرورك.`,
    ].join('\n\n'),
    action: 'اختيار كلمة مرور جديدة',
  },
  change_email: {
    subject: '{code} يؤكد عنوانك الجديد لدى {project}',
    body: [
      'أكّد هذا العنوان لحسابك لدى {project} بهذا الرمز:',
      '{code}',
      `يبقى صالحًا ${MINUTES}. إذا لم تطلبه، فتجاهل هذه الرسالة.`,
    ].join('\n\n'),
    action: '',
  },
  known_address: {
    subject: 'لديك حساب لدى {project} بالفعل',
    body: [
      'حاول أحدهم، ربما أنت، التسجيل بهذا العنوان لدى {project}. لديك حساب بالفعل؛ سجّل الدخول به.',
      'إذا لم تكن أنت، فيمكنك تجاهل هذه الرسالة. لم يتغير شيء.',
    ].join('\n\n'),
    action: '',
  },
  setup_link: {
    subject: 'إعداد {organization} لدى {project}',
    body: [
      'يطلب منك {project} إعداد {organization}. ما يمكنك إعداده تجده في صفحة هذا الرابط.',
      '{link}',
      `يبقى الرابط صالحًا ${DAYS}. لا تمرّره إلى غيرك: فهو لا يحتاج إلى كلمة مرور. إذا لم تكن تتوقعه، فتجاهل هذه الرسالة.`,
    ].join('\n\n'),
    action: 'بدء',
  },
  invitation: {
    subject: 'أنت مدعو إلى {project}',
    body: [
      'دُعيت إلى الانضمام إلى {project}.',
      '{link}',
      `تبقى الدعوة صالحة ${DAYS}. إذا لم تكن تتوقعها، فتجاهل هذه الرسالة.`,
    ].join('\n\n'),
    action: 'قبول الدعوة',
  },
  new_device: {
    subject: 'تسجيل دخول جديد إلى {project}',
    body: [
      'سجّل أحدهم الدخول إلى حسابك لدى {project} على جهاز جديد.',
      'الجهاز: {device}\nالعنوان: {ip}\nالوقت: {time}',
      'إذا كنت أنت، فيمكنك تجاهل هذه الرسالة. وإلا فغيّر كلمة مرورك وأنهِ الجلسة في إعدادات حسابك.',
    ].join('\n\n'),
    action: '',
  },
  credential_changed: {
    subject: 'تغيَّر حسابك لدى {project}',
    body: [
      '{change, select, password {غُيّرت كلمة مرور حسابك.} email {غُيّر عنوان البريد الإلكتروني لحسابك.} phone {غُيّر رقم هاتف حسابك.} totp_added {أُضيف تطبيق مصادقة إلى حسابك.} totp_removed {أُزيل تطبيق المصادقة من حسابك.} phone_factor_added {أُضيف هاتف كخطوة ثانية إلى حسابك.} phone_factor_removed {أُزيل الهاتف كخطوة ثانية من حسابك.} passkey_added {أُضيف مفتاح مرور إلى حسابك.} passkey_removed {أُزيل مفتاح مرور من حسابك.} passkey_changed {غُيّر استخدام أحد مفاتيح المرور في حسابك كخطوة ثانية.} recovery_codes {أُنشئت رموز استرداد جديدة لحسابك.} recovery_code_used {استُخدم أحد رموز الاسترداد لحسابك.} mfa_reset {أزال أحد المشرفين الخطوات الثانية من حسابك.} identity_linked {رُبط مزوّد تسجيل دخول بحسابك.} identity_unlinked {أُزيل مزوّد تسجيل دخول من حسابك.} reclaimed {أكّدت أن هذا العنوان لك. أُزيلت جميع بيانات تسجيل الدخول السابقة لحسابه: كلمات المرور ومفاتيح المرور والخطوات الثانية والمزوّدون المرتبطون والجلسات.} other {تغيَّر حسابك.}}',
      'الوقت: {time}',
      'إذا لم تكن أنت، فأعد تعيين كلمة مرورك فورًا وتواصل مع {project}.',
    ].join('\n\n'),
    action: '',
  },
  account_erasure: {
    subject: 'سيُحذف حسابك لدى {project}',
    body: [
      'سيُحذف حسابك لدى {project} وجميع بياناتك نهائيًا في {date}.',
      'للاحتفاظ به، سجّل الدخول قبل ذلك. إذا لم تطلب ذلك، فسجّل الدخول وغيّر كلمة مرورك.',
    ].join('\n\n'),
    action: '',
  },
  application_acts: {
    subject: 'يتصرف {application} نيابةً عنك لدى {project}',
    body: [
      'يتصرف التطبيق {application} التابع لـ {project} نيابةً عنك الآن: يمكنه استخدام الخدمات باسمك بالحقوق التي منحتها له.',
      'بدأ ذلك في {time} وينتهي عند تسجيل خروجك. تجده ويمكنك إزالته في إعدادات حسابك، ضمن التطبيقات.',
      'إذا لم تكن تتوقع ذلك، فأنهِ جلساتك وتواصل مع {project}.',
    ].join('\n\n'),
    action: '',
  },
  impersonated: {
    subject: 'يتصرف أحدهم نيابةً عنك لدى {project}',
    body: [
      `يتصرف أحد أعضاء فريق {project} نيابةً عنك منذ {time}، لمدة أقصاها ${MINUTES}. يرى الخدمات ويستخدمها كما تفعل أنت. لا يمكنه تغيير طريقة تسجيل دخولك.`,
      'السبب الذي ذكره: {reason}',
      'إذا لم تكن تتوقع ذلك، فأنهِه في حسابك أو تواصل مع {project}.',
    ].join('\n\n'),
    action: '',
  },
  account_throttled: {
    subject: 'محاولات فاشلة كثيرة لتسجيل الدخول إلى حسابك لدى {project}',
    body: [
      'حاول أحدهم مرات كثيرة تسجيل الدخول إلى حسابك لدى {project} بكلمة مرور خاطئة، آخرها في {time}. نبطئ مثل هذه المحاولات. لا يزال بإمكانك تسجيل الدخول من الأماكن التي استخدمتها من قبل، أو إعادة تعيين كلمة مرورك.',
      'إذا لم تكن أنت، فاستخدم كلمة مرور طويلة وفريدة ومفتاح مرور لحماية حسابك.',
    ].join('\n\n'),
    action: '',
  },
  failed_attempts: {
    subject: 'تسجيل دخول بعد محاولات فاشلة',
    body: [
      'سجّل أحدهم الدخول إلى حسابك لدى {project} في {time}، بعد {count, plural, one {محاولة فاشلة واحدة} two {محاولتين فاشلتين} few {# محاولات فاشلة} many {# محاولة فاشلة} other {# محاولة فاشلة}}. إذا كنت أنت، فيمكنك تجاهل هذه الرسالة. وإلا فغيّر كلمة مرورك الآن.',
    ].join('\n\n'),
    action: '',
  },
  deletion: {
    subject: '{what, select, workspace {ستُحذف مساحة العمل} other {سيُحذف المشروع}} {name}',
    body: [
      'طلب {person} حذف {what, select, workspace {مساحة العمل {name} مع كل مشروع فيها. وهي مغلقة} other {المشروع {name} من مساحة العمل {workspace}. وهو مغلق}}: لا يمكن لأحد تسجيل الدخول أو استخدام واجهات API.',
      'في {date} سيتم الحذف نهائيًا، مع جميع المستخدمين. حتى ذلك الحين يمكن لأحد المالكين الاستعادة.',
      '{link}',
      'إذا كان ذلك خطأً أو هجومًا، فاستعد المحذوف وغيّر كلمات مرورك.',
    ].join('\n\n'),
    action: 'فتح وحدة التحكم',
  },
  webhook_disabled: {
    subject: 'أُوقفت الـ webhooks إلى {name}',
    body: [
      'لم يعد {project} يرسل أحداثًا إلى نقطة الـ webhook هذه، {reason, select, gone {لأنها أعادت 410 Gone} other {لأن كل محاولة فشلت منذ خمسة أيام}}:',
      '{url}\nالوقت: {time}',
      'لم يضِع شيء: جميع الأحداث في سجل الأحداث. عندما تعمل نقطة الـ webhook من جديد، فعّلها واستعد الأحداث الفائتة.',
    ].join('\n\n'),
    action: '',
  },
  status_confirm: {
    subject: 'أكّد اشتراكك في حالة {project}',
    body: [
      'أدخل أحدهم، ربما أنت، هذا العنوان للاشتراك في حالة {project}. أكّد الاشتراك لتتلقى رسالة عندما تبدأ حادثة أو صيانة أو تتغير أو تنتهي:',
      '{link}',
      'يعمل الرابط 24 ساعة. إذا لم تطلب ذلك، فتجاهل هذه الرسالة. لن يُرسل شيء.',
    ].join('\n\n'),
    action: 'تأكيد',
  },
  status_code: {
    subject: '{code} يفتح اشتراكك في الحالة',
    body: [
      'رمزك لتغيير اشتراكك في حالة {project} أو إنهائه:',
      '{code}',
      `يبقى صالحًا ${MINUTES}. إذا لم تطلبه، فتجاهل هذه الرسالة.`,
    ].join('\n\n'),
    action: '',
  },
  status_notice: {
    subject: `[{project}] {title}: ${PHASE}`,
    body: [
      `{title}: ${PHASE}`,
      '{body}',
      '{components, select, none {الوقت: {time}} other {المتأثر: {components}\nالوقت: {time}}}',
      '{link}',
      'إلغاء الاشتراك: {unsubscribe}',
    ].join('\n\n'),
    action: 'فتح صفحة الحالة',
  },
  status_alert: {
    subject: '{project} ({environment}): {overall, select, degraded {الحالة متدهورة} other {كل شيء يعمل من جديد}}',
    body: [
      '{overall, select, degraded {تحولت حالة {project} ({environment}) من العمل إلى التدهور في {time}.} other {تعمل أنظمة {project} ({environment}) من جديد منذ {time}.}} {components, select, none {} other {المتأثر: {components}}}',
      '{link}',
    ].join('\n\n'),
    action: 'فتح صفحة الحالة',
  },
  sms_code: {
    subject: '',
    body: ['{code} هو رمزك لدى {project}. لا تشاركه مع أحد.'].join('\n\n'),
    action: '',
  },
  status_sms_confirm: {
    subject: '',
    body: '{project}: أكّد الاشتراك {link}',
    action: '',
  },
  status_sms_code: {
    subject: '',
    body: '{project}: {code} رمز اشتراكك في الحالة. لا تشاركه.',
    action: '',
  },
  status_sms_notice: {
    subject: '',
    body: '{project}: {title} ({phase}) {link}',
    action: '',
  },
};
