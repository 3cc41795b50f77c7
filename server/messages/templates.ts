import { type Static, Type } from 'typebox';
import type { Environment } from '#platform/ctx.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import type { Language } from '#settings';

/** Variables that every template may use. */
const COMMON = ['project'] as const;

/** Every message, the variables its text may use, and those it must use. */
export const templates = {
  verify_email: { channel: 'email', variables: ['code', 'link', 'minutes'], required: ['code'] },
  sign_in_code: { channel: 'email', variables: ['code', 'minutes'], required: ['code'] },
  magic_link: { channel: 'email', variables: ['code', 'link', 'minutes'], required: ['link'] },
  reset_password: { channel: 'email', variables: ['code', 'link', 'minutes'], required: ['link'] },
  change_email: { channel: 'email', variables: ['code', 'minutes'], required: ['code'] },
  known_address: { channel: 'email', variables: [], required: [] },
  invitation: { channel: 'email', variables: ['link', 'days'], required: ['link'] },
  setup_link: { channel: 'email', variables: ['link', 'organization', 'days'], required: ['link'] },
  new_device: { channel: 'email', variables: ['device', 'ip', 'time'], required: [] },
  credential_changed: { channel: 'email', variables: ['change', 'time'], required: ['change'] },
  application_acts: { channel: 'email', variables: ['application', 'time'], required: ['application'] },
  impersonated: { channel: 'email', variables: ['reason', 'minutes', 'time'], required: ['reason'] },
  account_throttled: { channel: 'email', variables: ['time'], required: [] },
  account_erasure: { channel: 'email', variables: ['date'], required: ['date'] },
  failed_attempts: { channel: 'email', variables: ['count', 'time'], required: [] },
  deletion: {
    channel: 'email',
    variables: ['what', 'name', 'workspace', 'person', 'date', 'link'],
    required: ['name', 'date'],
  },
  webhook_disabled: { channel: 'email', variables: ['name', 'url', 'reason', 'time'], required: ['url'] },
  status_confirm: { channel: 'email', variables: ['link'], required: ['link'], followed: true },
  status_code: { channel: 'email', variables: ['code', 'minutes'], required: ['code'], followed: true },
  status_notice: {
    channel: 'email',
    variables: ['phase', 'title', 'body', 'components', 'time', 'link', 'unsubscribe'],
    required: ['title', 'unsubscribe'],
    followed: true,
  },
  status_alert: {
    channel: 'email',
    variables: ['overall', 'environment', 'components', 'time', 'link'],
    required: ['overall'],
  },
  sms_code: { channel: 'sms', variables: ['code'], required: ['code'], answered: true },
  status_sms_confirm: { channel: 'sms', variables: ['link'], required: ['link'], answered: true, followed: true },
  status_sms_code: { channel: 'sms', variables: ['code'], required: ['code'], answered: true, followed: true },
  status_sms_notice: {
    channel: 'sms',
    variables: ['title', 'phase', 'link'],
    required: ['title', 'link'],
    followed: true,
  },
} as const satisfies Record<
  string,
  {
    channel: 'email' | 'sms';
    variables: readonly string[];
    required: readonly string[];
    /** Its owner enters a code or opens a link, so the guard against pumping expects that of each. */
    answered?: true;
    /** Its sender hears whether it arrived. */
    followed?: true;
  }
>;

export type TemplateId = keyof typeof templates;
export const templateIds = Object.keys(templates).filter((id): id is TemplateId => id in templates);
export const TemplateId = Type.Enum(templateIds, { title: 'MessageTemplateId' });

/** Whether the sender of a message hears whether it arrived. */
export function isFollowed(template: TemplateId | 'none'): boolean {
  return template !== 'none' && 'followed' in templates[template];
}

/** The variables that a template's text may use. */
export function variablesOf(template: TemplateId): readonly string[] {
  return [...COMMON, ...templates[template].variables];
}

/**
 * The text of one message in one language, in ICU MessageFormat. Empty lines separate paragraphs. A paragraph with only
 * `{code}` is shown large, one with only `{link}` becomes a button labelled `action`.
 */
export const TemplateText = Type.Object(
  {
    subject: Type.String({ maxLength: 2_000 }),
    body: Type.String({ minLength: 1, maxLength: 10_000 }),
    action: Type.String({ maxLength: 100 }),
  },
  { additionalProperties: false },
);
export type TemplateText = Static<typeof TemplateText>;

/** The kinds of credential changes that the text distinguishes. */
const credentialChanges = [
  'password',
  'email',
  'phone',
  'totp_added',
  'totp_removed',
  'phone_factor_added',
  'phone_factor_removed',
  'passkey_added',
  'passkey_removed',
  'passkey_changed',
  'recovery_codes',
  'recovery_code_used',
  'mfa_reset',
  'identity_linked',
  'identity_unlinked',
  'reclaimed',
] as const;
export type CredentialChange = (typeof credentialChanges)[number];

type MessageTemplatesTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  template: TemplateId;
  locale: Language;
  subject: string;
  body: string;
  action: string;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    message_templates: MessageTemplatesTable;
  }
}
