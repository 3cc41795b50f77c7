import type { TemplateId, TemplateText } from './templates.ts';

export const german: Readonly<Record<TemplateId, TemplateText>> = {
  verify_email: {
    subject: '{code} ist dein Code für {project}',
    body: [
      'Bestätige deine Adresse für {project} mit diesem Code:',
      '{code}',
      'Oder bestätige sie in einem Schritt:',
      '{link}',
      'Beides gilt {minutes} Minuten. Wenn du das nicht angefordert hast, ignoriere diese E-Mail: Ohne dich passiert nichts.',
    ].join('\n\n'),
    action: 'Adresse bestätigen',
  },
  sign_in_code: {
    subject: '{code} ist dein Code für {project}',
    body: [
      'Dein Code zum Anmelden bei {project}:',
      '{code}',
      'Er gilt {minutes} Minuten. Wenn du ihn nicht angefordert hast, ignoriere diese E-Mail: Ohne den Code passiert nichts.',
    ].join('\n\n'),
    action: '',
  },
  magic_link: {
    subject: 'Anmelden bei {project}',
    body: [
      'Melde dich mit diesem Link bei {project} an:',
      '{link}',
      'Oder gib diesen Code dort ein, wo du ihn angefordert hast:',
      '{code}',
      'Beides gilt {minutes} Minuten und nur einmal. Wenn du das nicht angefordert hast, ignoriere diese E-Mail: Ohne sie kommt niemand hinein.',
    ].join('\n\n'),
    action: 'Anmelden',
  },
  reset_password: {
    subject: 'Passwort für {project} zurücksetzen',
    body: [
      'Wähle ein neues Passwort für {project}:',
      '{link}',
      'Oder gib diesen Code dort ein, wo du ihn angefordert hast:',
      '{code}',
      'Beides gilt {minutes} Minuten. Wenn du das nicht angefordert hast, ignoriere diese E-Mail: Dein Passwort bleibt, wie es ist.',
    ].join('\n\n'),
    action: 'Neues Passwort wählen',
  },
  change_email: {
    subject: '{code} bestätigt deine neue Adresse bei {project}',
    body: [
      'Bestätige diese Adresse für dein Konto bei {project} mit diesem Code:',
      '{code}',
      'Er gilt {minutes} Minuten. Wenn du ihn nicht angefordert hast, ignoriere diese E-Mail.',
    ].join('\n\n'),
    action: '',
  },
  known_address: {
    subject: 'Du hast schon ein Konto bei {project}',
    body: [
      'Jemand, vielleicht du, wollte sich mit dieser Adresse bei {project} registrieren. Es gibt schon ein Konto: Melde dich damit an.',
      'Wenn du es nicht warst, ist nichts zu tun: Es wurde nichts geändert.',
    ].join('\n\n'),
    action: '',
  },
  setup_link: {
    subject: '{organization} bei {project} einrichten',
    body: [
      '{project} bittet Sie, {organization} einzurichten. Was Sie einrichten können, steht auf der Seite dieses Links.',
      '{link}',
      'Der Link gilt {days, plural, one {einen Tag} other {# Tage}}. Geben Sie ihn nicht weiter: Er braucht kein Passwort. Wenn Sie ihn nicht erwartet haben, ignorieren Sie diese Mail.',
    ].join('\n\n'),
    action: 'Beginnen',
  },
  invitation: {
    subject: 'Du bist zu {project} eingeladen',
    body: [
      'Du wurdest eingeladen, {project} beizutreten.',
      '{link}',
      'Die Einladung gilt {days, plural, one {einen Tag} other {# Tage}}. Wenn du sie nicht erwartet hast, ignoriere diese E-Mail.',
    ].join('\n\n'),
    action: 'Einladung annehmen',
  },
  new_device: {
    subject: 'Neue Anmeldung bei {project}',
    body: [
      'Bei deinem Konto von {project} gab es eine Anmeldung von einem Gerät, auf dem es bisher nicht benutzt wurde.',
      'Gerät: {device}\nAdresse: {ip}\nZeit: {time}',
      'Wenn du es warst, ist nichts zu tun. Wenn nicht, ändere dein Passwort und beende die Sitzung in deinen Kontoeinstellungen.',
    ].join('\n\n'),
    action: '',
  },
  credential_changed: {
    subject: 'Dein Konto bei {project} wurde geändert',
    body: [
      '{change, select, password {Das Passwort deines Kontos wurde geändert.} email {Die E-Mail-Adresse deines Kontos wurde geändert.} phone {Die Telefonnummer deines Kontos wurde geändert.} totp_added {Deinem Konto wurde eine Authenticator-App hinzugefügt.} totp_removed {Die Authenticator-App wurde aus deinem Konto entfernt.} phone_factor_added {Deinem Konto wurde ein Telefon als zweiter Schritt hinzugefügt.} phone_factor_removed {Das Telefon wurde als zweiter Schritt aus deinem Konto entfernt.} passkey_added {Deinem Konto wurde ein Passkey hinzugefügt.} passkey_removed {Ein Passkey wurde aus deinem Konto entfernt.} passkey_changed {Es wurde geändert, ob ein Passkey deines Kontos als zweiter Schritt verlangt wird.} recovery_codes {Für dein Konto wurden neue Wiederherstellungscodes erstellt.} recovery_code_used {Ein Wiederherstellungscode deines Kontos wurde benutzt.} mfa_reset {Die zweiten Schritte deines Kontos wurden von der Verwaltung entfernt.} identity_linked {Ein Anmeldedienst wurde mit deinem Konto verknüpft.} identity_unlinked {Ein Anmeldedienst wurde aus deinem Konto entfernt.} reclaimed {Du hast bestätigt, dass diese Adresse dir gehört. Alles, womit man sich zuvor bei ihrem Konto anmelden konnte, ist entfernt: Passwörter, Passkeys, zweite Schritte, verknüpfte Anmeldedienste und Sitzungen.} other {Dein Konto wurde geändert.}}',
      'Zeit: {time}',
      'Wenn du es nicht warst, setze sofort dein Passwort zurück und wende dich an {project}.',
    ].join('\n\n'),
    action: '',
  },
  account_erasure: {
    subject: 'Dein Konto bei {project} wird gelöscht',
    body: [
      'Dein Konto bei {project} und alles, was über dich gespeichert ist, wird am {date} gelöscht.',
      'Um es zu behalten, melde dich vorher an. Wenn du das nicht wolltest, melde dich an und ändere dein Passwort.',
    ].join('\n\n'),
    action: '',
  },
  application_acts: {
    subject: '{application} handelt bei {project} für Sie',
    body: [
      'Die Anwendung {application} von {project} handelt jetzt für Sie: Sie darf Dienste in Ihrem Namen nutzen, mit den Rechten, die Sie ihr gegeben haben.',
      'Das begann am {time} und endet, wenn Sie sich abmelden. In Ihren Kontoeinstellungen finden und entfernen Sie es unter Anwendungen.',
      'Wenn Sie das nicht erwartet haben, beenden Sie Ihre Sitzungen und wenden Sie sich an {project}.',
    ].join('\n\n'),
    action: '',
  },
  impersonated: {
    subject: 'Jemand handelt bei {project} als Sie',
    body: [
      'Ein Mitglied des Teams von {project} handelt seit {time} als Sie, höchstens {minutes} Minuten lang. Es sieht und nutzt Dienste so wie Sie. Wie Sie sich anmelden, kann es nicht ändern.',
      'Der angegebene Grund: {reason}',
      'Wenn Sie das nicht erwartet haben, beenden Sie es in Ihrem Konto oder wenden Sie sich an {project}.',
    ].join('\n\n'),
    action: '',
  },
  account_throttled: {
    subject: 'Viele fehlgeschlagene Anmeldungen bei deinem Konto von {project}',
    body: [
      'Jemand hat oft versucht, sich mit einem falschen Passwort bei deinem Konto von {project} anzumelden, zuletzt um {time}. Wir bremsen solche Versuche. Von Orten, an denen du schon angemeldet warst, kannst du dich weiter anmelden, oder du setzt dein Passwort zurück.',
      'Wenn du es nicht warst: Ein langes eigenes Passwort und ein Passkey schützen dein Konto.',
    ].join('\n\n'),
    action: '',
  },
  failed_attempts: {
    subject: 'Anmeldung nach fehlgeschlagenen Versuchen',
    body: [
      'Bei deinem Konto von {project} gab es um {time} eine Anmeldung, nach {count, plural, one {einem fehlgeschlagenen Versuch} other {# fehlgeschlagenen Versuchen}}. Wenn du es warst, ist nichts zu tun. Wenn nicht, ändere jetzt dein Passwort.',
    ].join('\n\n'),
    action: '',
  },
  deletion: {
    subject: '{what, select, workspace {Der Arbeitsbereich} other {Das Projekt}} {name} wird gelöscht',
    body: [
      '{person} lässt {what, select, workspace {den Arbeitsbereich {name} mit allen Projekten} other {das Projekt {name} des Arbeitsbereichs {workspace}}} löschen. Ab jetzt ist alles darin geschlossen: Niemand kann sich dort anmelden oder die Schnittstellen benutzen.',
      'Am {date} wird alles endgültig entfernt, auch die Konten. Bis dahin kann ein Inhaber es wiederherstellen.',
      '{link}',
      'Wenn das niemand von euch wollte, stellt es wieder her und ändert eure Passwörter.',
    ].join('\n\n'),
    action: 'Konsole öffnen',
  },
  webhook_disabled: {
    subject: 'Webhooks an {name} wurden abgeschaltet',
    body: [
      '{project} sendet keine Ereignisse mehr an diesen Webhook-Endpunkt, weil {reason, select, gone {er geantwortet hat, dass es ihn nicht mehr gibt (410)} other {fünf Tage lang jeder Versuch gescheitert ist}}:',
      '{url}\nZeit: {time}',
      'Verloren ist nichts: Was geschehen ist, steht im Ereignisprotokoll. Sobald der Empfänger wieder arbeitet, schalte den Endpunkt ein und hole nach, was er verpasst hat.',
    ].join('\n\n'),
    action: '',
  },
  status_confirm: {
    subject: 'Bestätigen: Status von {project} verfolgen',
    body: [
      'Jemand, vielleicht Sie, möchte unter dieser Adresse über den Status von {project} informiert werden. Bestätigen Sie es, und wir schreiben, wenn eine Störung oder Wartung beginnt, weitergeht oder endet:',
      '{link}',
      'Der Link gilt 24 Stunden. Wenn Sie das nicht wollten, ignorieren Sie diese Mail: Es wird nichts gesendet.',
    ].join('\n\n'),
    action: 'Bestätigen',
  },
  status_code: {
    subject: '{code} öffnet Ihr Status-Abonnement',
    body: [
      'Ihr Code, um Ihr Abonnement zum Status von {project} zu ändern oder zu beenden:',
      '{code}',
      'Er gilt {minutes} Minuten. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese Mail.',
    ].join('\n\n'),
    action: '',
  },
  status_notice: {
    subject:
      '[{project}] {title}: {phase, select, investigating {Wird untersucht} identified {Ursache bekannt} monitoring {Wird beobachtet} resolved {Behoben} scheduled {Geplant} in_progress {Läuft} verifying {Wird geprüft} completed {Abgeschlossen} reminder {Bald} cancelled {Abgesagt} other {Neuigkeit}}',
    body: [
      '{title}: {phase, select, investigating {Wird untersucht} identified {Ursache bekannt} monitoring {Wird beobachtet} resolved {Behoben} scheduled {Geplant} in_progress {Läuft} verifying {Wird geprüft} completed {Abgeschlossen} reminder {Bald} cancelled {Abgesagt} other {Neuigkeit}}',
      '{body}',
      '{components, select, none {Zeit: {time}} other {Betroffen: {components}\nZeit: {time}}}',
      '{link}',
      'Abmelden: {unsubscribe}',
    ].join('\n\n'),
    action: 'Statusseite öffnen',
  },
  status_alert: {
    subject:
      '{project} ({environment}): {overall, select, degraded {Der Status ist beeinträchtigt} other {Alles ist wieder in Betrieb}}',
    body: [
      '{overall, select, degraded {Der Status von {project} ({environment}) ist seit {time} beeinträchtigt.} other {{project} ({environment}) ist seit {time} wieder in Betrieb.}} {components, select, none {} other {Betroffen: {components}}}',
      '{link}',
    ].join('\n\n'),
    action: 'Statusseite öffnen',
  },
  sms_code: {
    subject: '',
    body: ['{code} ist dein Code für {project}. Gib ihn nicht weiter.'].join('\n\n'),
    action: '',
  },
  status_sms_confirm: {
    subject: '',
    body: '{project}: Statusmeldungen bestätigen: {link} - Nicht angefragt? Dann nichts tun.',
    action: '',
  },
  status_sms_code: {
    subject: '',
    body: '{project}: {code} öffnet dein Status-Abonnement. Gib ihn nicht weiter.',
    action: '',
  },
  status_sms_notice: {
    subject: '',
    body: '{project}: {title} ({phase}). Details, beenden: {link}',
    action: '',
  },
};
