import type { TemplateId, TemplateText } from './templates.ts';

export const english: Readonly<Record<TemplateId, TemplateText>> = {
  verify_email: {
    subject: '{code} is your {project} code',
    body: [
      'Confirm your address for {project} with this code:',
      '{code}',
      'Or confirm it in one step:',
      '{link}',
      'Both work for {minutes} minutes. If you did not ask for this, ignore this mail. Nothing will happen.',
    ].join('\n\n'),
    action: 'Confirm address',
  },
  sign_in_code: {
    subject: '{code} is your {project} code',
    body: [
      'Your code to sign in to {project}:',
      '{code}',
      'It works for {minutes} minutes. If you did not ask for it, ignore this mail. Nobody can sign in without the code.',
    ].join('\n\n'),
    action: '',
  },
  magic_link: {
    subject: 'Sign in to {project}',
    body: [
      'Sign in to {project} with this link:',
      '{link}',
      'Or enter this code where you requested it:',
      '{code}',
      'They work once, for {minutes} minutes. If you did not ask for this, ignore this mail. Nobody can sign in without it.',
    ].join('\n\n'),
    action: 'Sign in',
  },
  reset_password: {
    subject: 'Reset your {project} password',
    body: [
      'Choose a new password for {project}:',
      '{link}',
      'Or enter this code where you requested it:',
      '{code}',
      'Both work for {minutes} minutes. If you did not ask for this, ignore this mail. Your password will not change.',
    ].join('\n\n'),
    action: 'Choose a new password',
  },
  change_email: {
    subject: '{code} confirms your new {project} address',
    body: [
      'Confirm this address for your {project} account with this code:',
      '{code}',
      'It works for {minutes} minutes. If you did not ask for it, ignore this mail.',
    ].join('\n\n'),
    action: '',
  },
  known_address: {
    subject: 'You already have a {project} account',
    body: [
      'Somebody, perhaps you, tried to register with this address at {project}. You already have an account; sign in with it.',
      'If it was not you, you can ignore this mail. Nothing was changed.',
    ].join('\n\n'),
    action: '',
  },
  setup_link: {
    subject: 'Set up {organization} at {project}',
    body: [
      '{project} asks you to set up {organization}: what you can set up is on the page of this link.',
      '{link}',
      'The link works for {days, plural, one {one day} other {# days}}. Do not pass it on: it needs no password. If you did not expect it, ignore this mail.',
    ].join('\n\n'),
    action: 'Begin',
  },
  invitation: {
    subject: 'You are invited to {project}',
    body: [
      'You have been invited to join {project}.',
      '{link}',
      'The invitation works for {days, plural, one {one day} other {# days}}. If you did not expect it, ignore this mail.',
    ].join('\n\n'),
    action: 'Accept the invitation',
  },
  new_device: {
    subject: 'New sign-in to {project}',
    body: [
      'Somebody signed in to your {project} account on a new device.',
      'Device: {device}\nAddress: {ip}\nTime: {time}',
      'If this was you, you can ignore this mail. If not, change your password and end the session in your account settings.',
    ].join('\n\n'),
    action: '',
  },
  credential_changed: {
    subject: 'Your {project} account was changed',
    body: [
      '{change, select, password {The password of your account was changed.} email {The email address of your account was changed.} phone {The phone number of your account was changed.} totp_added {An authenticator app was added to your account.} totp_removed {The authenticator app was removed from your account.} phone_factor_added {A phone was added as a second step to your account.} phone_factor_removed {The phone was removed as a second step from your account.} passkey_added {A passkey was added to your account.} passkey_removed {A passkey was removed from your account.} passkey_changed {The use of a passkey of your account as a second step was changed.} recovery_codes {New recovery codes were created for your account.} recovery_code_used {A recovery code of your account was used.} mfa_reset {The second steps of your account were removed by an administrator.} identity_linked {A sign-in provider was linked to your account.} identity_unlinked {A sign-in provider was removed from your account.} reclaimed {You confirmed that this address is yours. All earlier sign-in data of its account was removed: passwords, passkeys, second steps, linked providers and sessions.} other {Your account was changed.}}',
      'Time: {time}',
      'If this was not you, reset your password immediately and contact {project}.',
    ].join('\n\n'),
    action: '',
  },
  account_erasure: {
    subject: 'Your {project} account will be deleted',
    body: [
      'Your {project} account and all your data will be permanently deleted on {date}.',
      'To keep it, sign in before then. If you did not ask for this, sign in and change your password.',
    ].join('\n\n'),
    action: '',
  },
  application_acts: {
    subject: '{application} acts for you at {project}',
    body: [
      'The application {application} of {project} now acts for you: it may use services in your name with the rights that you gave it.',
      'It started at {time} and ends when you sign out. You can find and remove it in your account settings, under applications.',
      'If you did not expect this, end your sessions and contact {project}.',
    ].join('\n\n'),
    action: '',
  },
  impersonated: {
    subject: 'Somebody acts as you at {project}',
    body: [
      'A member of the {project} team has been acting as you since {time}, for at most {minutes} minutes. They see and use services as you would. They cannot change how you sign in.',
      'The reason they gave: {reason}',
      'If you did not expect this, end it in your account or contact {project}.',
    ].join('\n\n'),
    action: '',
  },
  account_throttled: {
    subject: 'Many failed sign-ins to your {project} account',
    body: [
      'Somebody tried many times to sign in to your {project} account with a wrong password, last at {time}. We slow such attempts down. You can still sign in from places you have used before, or reset your password.',
      'If this was not you, use a long, unique password and a passkey to keep your account safe.',
    ].join('\n\n'),
    action: '',
  },
  failed_attempts: {
    subject: 'Sign-in after failed attempts',
    body: [
      'Somebody signed in to your {project} account at {time}, after {count, plural, one {one failed attempt} other {# failed attempts}}. If this was you, you can ignore this mail. If not, change your password now.',
    ].join('\n\n'),
    action: '',
  },
  deletion: {
    subject: '{what, select, workspace {The workspace} other {The project}} {name} will be deleted',
    body: [
      '{person} has asked to delete {what, select, workspace {the workspace {name} with every project in it} other {the project {name} of the workspace {workspace}}}. It is closed: nobody can sign in to it or use its APIs.',
      'On {date} it will be permanently removed, with all its users. Until then an owner can restore it.',
      '{link}',
      'If this was a mistake or an attack, restore it and change your passwords.',
    ].join('\n\n'),
    action: 'Open the console',
  },
  webhook_disabled: {
    subject: 'Webhooks to {name} were disabled',
    body: [
      '{project} no longer sends events to this webhook endpoint, because {reason, select, gone {it returned 410 Gone} other {every attempt has failed for five days}}:',
      '{url}\nTime: {time}',
      'Nothing is lost: all events are in the event log. When the endpoint works again, enable it and recover the missed events.',
    ].join('\n\n'),
    action: '',
  },
  status_confirm: {
    subject: 'Confirm your subscription to the status of {project}',
    body: [
      'Somebody, perhaps you, subscribed this address to the status of {project}. Confirm the subscription to get a message when an incident or maintenance starts, changes or ends:',
      '{link}',
      'The link works for 24 hours. If you did not ask for this, ignore this mail. Nothing will be sent.',
    ].join('\n\n'),
    action: 'Confirm',
  },
  status_code: {
    subject: '{code} opens your status subscription',
    body: [
      'Your code to change or end your subscription to the status of {project}:',
      '{code}',
      'It works for {minutes} minutes. If you did not ask for it, ignore this mail.',
    ].join('\n\n'),
    action: '',
  },
  status_notice: {
    subject:
      '[{project}] {title}: {phase, select, investigating {Investigating} identified {Identified} monitoring {Monitoring} resolved {Resolved} scheduled {Scheduled} in_progress {In progress} verifying {Verifying} completed {Completed} reminder {Soon} cancelled {Cancelled} other {Update}}',
    body: [
      '{title}: {phase, select, investigating {Investigating} identified {Identified} monitoring {Monitoring} resolved {Resolved} scheduled {Scheduled} in_progress {In progress} verifying {Verifying} completed {Completed} reminder {Soon} cancelled {Cancelled} other {Update}}',
      '{body}',
      '{components, select, none {Time: {time}} other {Affected: {components}\nTime: {time}}}',
      '{link}',
      'Unsubscribe: {unsubscribe}',
    ].join('\n\n'),
    action: 'Open the status page',
  },
  status_alert: {
    subject:
      '{project} ({environment}): {overall, select, degraded {the status is degraded} other {everything is operational again}}',
    body: [
      '{overall, select, degraded {The status of {project} ({environment}) went from operational to degraded at {time}.} other {The status of {project} ({environment}) has been operational again since {time}.}} {components, select, none {} other {Affected: {components}}}',
      '{link}',
    ].join('\n\n'),
    action: 'Open the status page',
  },
  sms_code: {
    subject: '',
    body: ['{code} is your {project} code. Do not share it.'].join('\n\n'),
    action: '',
  },
  status_sms_confirm: {
    subject: '',
    body: '{project}: open {link} to get status messages. Ignore this if you did not ask.',
    action: '',
  },
  status_sms_code: {
    subject: '',
    body: '{project}: {code} opens your status subscription. Do not share it.',
    action: '',
  },
  status_sms_notice: {
    subject: '',
    body: '{project}: {title} ({phase}). Details, stop: {link}',
    action: '',
  },
};
