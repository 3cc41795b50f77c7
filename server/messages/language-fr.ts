import type { TemplateId, TemplateText } from './templates.ts';

export const french: Readonly<Record<TemplateId, TemplateText>> = {
  verify_email: {
    subject: '{code} est votre code {project}',
    body: [
      'Confirmez votre adresse pour {project} avec ce code :',
      '{code}',
      'Ou confirmez-la en une étape :',
      '{link}',
      'Les deux sont valables {minutes} minutes. Si vous n’avez rien demandé, ignorez ce message : rien ne se passe sans vous.',
    ].join('\n\n'),
    action: 'Confirmer l’adresse',
  },
  sign_in_code: {
    subject: '{code} est votre code {project}',
    body: [
      'Votre code pour vous connecter à {project} :',
      '{code}',
      'Il est valable {minutes} minutes. Si vous ne l’avez pas demandé, ignorez ce message : rien ne se passe sans le code.',
    ].join('\n\n'),
    action: '',
  },
  magic_link: {
    subject: 'Connexion à {project}',
    body: [
      'Connectez-vous à {project} avec ce lien :',
      '{link}',
      'Ou saisissez ce code là où vous l’avez demandé :',
      '{code}',
      'Les deux sont valables {minutes} minutes, une seule fois. Si vous n’avez rien demandé, ignorez ce message : personne n’entre sans lui.',
    ].join('\n\n'),
    action: 'Se connecter',
  },
  reset_password: {
    subject: 'Réinitialiser votre mot de passe {project}',
    body: [
      'Choisissez un nouveau mot de passe pour {project} :',
      '{link}',
      'Ou saisissez ce code là où vous l’avez demandé :',
      '{code}',
      'Les deux sont valables {minutes} minutes. Si vous n’avez rien demandé, ignorez ce message : votre mot de passe ne change pas.',
    ].join('\n\n'),
    action: 'Choisir un mot de passe',
  },
  change_email: {
    subject: '{code} confirme votre nouvelle adresse {project}',
    body: [
      'Confirmez cette adresse pour votre compte {project} avec ce code :',
      '{code}',
      'Il est valable {minutes} minutes. Si vous ne l’avez pas demandé, ignorez ce message.',
    ].join('\n\n'),
    action: '',
  },
  known_address: {
    subject: 'Vous avez déjà un compte {project}',
    body: [
      'Quelqu’un, peut-être vous, a voulu s’inscrire avec cette adresse sur {project}. Vous avez déjà un compte : connectez-vous avec.',
      'Si ce n’était pas vous, il n’y a rien à faire : rien n’a changé.',
    ].join('\n\n'),
    action: '',
  },
  setup_link: {
    subject: 'Configurer {organization} chez {project}',
    body: [
      '{project} vous demande de configurer {organization}. La page de ce lien indique ce que vous pouvez configurer.',
      '{link}',
      'Le lien est valable {days, plural, one {un jour} other {# jours}}. Ne le transmettez pas : il ne demande pas de mot de passe. Si vous ne l’attendiez pas, ignorez ce message.',
    ].join('\n\n'),
    action: 'Commencer',
  },
  invitation: {
    subject: 'Vous êtes invité à rejoindre {project}',
    body: [
      'Vous avez été invité à rejoindre {project}.',
      '{link}',
      'L’invitation est valable {days, plural, one {un jour} other {# jours}}. Si vous ne l’attendiez pas, ignorez ce message.',
    ].join('\n\n'),
    action: 'Accepter l’invitation',
  },
  new_device: {
    subject: 'Nouvelle connexion à {project}',
    body: [
      'Une connexion à votre compte {project} a eu lieu depuis un appareil jamais utilisé auparavant.',
      'Appareil : {device}\nAdresse : {ip}\nHeure : {time}',
      'Si c’était vous, il n’y a rien à faire. Sinon, changez votre mot de passe et fermez la session dans les réglages de votre compte.',
    ].join('\n\n'),
    action: '',
  },
  credential_changed: {
    subject: 'Votre compte {project} a été modifié',
    body: [
      '{change, select, password {Le mot de passe de votre compte a été modifié.} email {L’adresse e-mail de votre compte a été modifiée.} phone {Le numéro de téléphone de votre compte a été modifié.} totp_added {Une application d’authentification a été ajoutée à votre compte.} totp_removed {L’application d’authentification a été retirée de votre compte.} phone_factor_added {Un téléphone a été ajouté comme seconde étape à votre compte.} phone_factor_removed {Le téléphone a été retiré comme seconde étape de votre compte.} passkey_added {Une clé d’accès a été ajoutée à votre compte.} passkey_removed {Une clé d’accès a été retirée de votre compte.} passkey_changed {Le rôle d’une clé d’accès de votre compte comme seconde étape a été modifié.} recovery_codes {De nouveaux codes de secours ont été créés pour votre compte.} recovery_code_used {Un code de secours de votre compte a été utilisé.} mfa_reset {Les secondes étapes de votre compte ont été retirées par un administrateur.} identity_linked {Un fournisseur de connexion a été lié à votre compte.} identity_unlinked {Un fournisseur de connexion a été retiré de votre compte.} reclaimed {Vous avez confirmé que cette adresse est la vôtre. Tout ce qui permettait auparavant de se connecter à son compte a été supprimé : mots de passe, clés d’accès, secondes étapes, fournisseurs liés et sessions.} other {Votre compte a été modifié.}}',
      'Heure : {time}',
      'Si ce n’était pas vous, réinitialisez tout de suite votre mot de passe et contactez {project}.',
    ].join('\n\n'),
    action: '',
  },
  account_erasure: {
    subject: 'Votre compte {project} va être supprimé',
    body: [
      'Votre compte {project} et tout ce qui est conservé à votre sujet seront supprimés le {date}.',
      'Pour le garder, connectez-vous avant cette date. Si ce n’était pas vous, connectez-vous et changez votre mot de passe.',
    ].join('\n\n'),
    action: '',
  },
  application_acts: {
    subject: '{application} agit pour vous sur {project}',
    body: [
      'L’application {application} de {project} agit désormais pour vous : elle peut utiliser des services en votre nom, avec les droits que vous lui avez donnés.',
      'Cela a commencé le {time} et prend fin lorsque vous vous déconnectez. Vous la trouvez et la retirez dans les réglages de votre compte, sous applications.',
      'Si vous ne vous y attendiez pas, mettez fin à vos sessions et contactez {project}.',
    ].join('\n\n'),
    action: '',
  },
  impersonated: {
    subject: 'Quelqu’un agit en votre nom sur {project}',
    body: [
      'Un membre de l’équipe de {project} agit en votre nom depuis le {time}, pendant {minutes} minutes au plus. Il voit et utilise les services comme vous. Il ne peut pas changer votre façon de vous connecter.',
      'La raison indiquée : {reason}',
      'Si vous ne vous y attendiez pas, mettez-y fin dans votre compte ou contactez {project}.',
    ].join('\n\n'),
    action: '',
  },
  account_throttled: {
    subject: 'Nombreuses connexions échouées à votre compte {project}',
    body: [
      'Quelqu’un a essayé de nombreuses fois de se connecter à votre compte {project} avec un mauvais mot de passe, la dernière fois à {time}. Nous ralentissons ces tentatives. Vous pouvez toujours vous connecter depuis un lieu déjà utilisé, ou réinitialiser votre mot de passe.',
      'Si ce n’était pas vous, un long mot de passe unique et une clé d’accès protègent votre compte.',
    ].join('\n\n'),
    action: '',
  },
  failed_attempts: {
    subject: 'Connexion après des tentatives échouées',
    body: [
      'Une connexion à votre compte {project} a eu lieu à {time}, après {count, plural, one {une tentative échouée} other {# tentatives échouées}}. Si c’était vous, il n’y a rien à faire. Sinon, changez votre mot de passe maintenant.',
    ].join('\n\n'),
    action: '',
  },
  deletion: {
    subject: '{what, select, workspace {L’espace de travail} other {Le projet}} {name} va être supprimé',
    body: [
      '{person} a demandé la suppression {what, select, workspace {de l’espace de travail {name} avec tous ses projets} other {du projet {name} de l’espace de travail {workspace}}}. Tout y est fermé dès maintenant : personne ne peut s’y connecter ni utiliser ses interfaces.',
      'Le {date}, tout sera supprimé définitivement, comptes compris. Jusque-là, un propriétaire peut tout rétablir.',
      '{link}',
      'Si personne parmi vous ne le voulait, rétablissez-le et changez vos mots de passe.',
    ].join('\n\n'),
    action: 'Ouvrir la console',
  },
  webhook_disabled: {
    subject: 'Les webhooks vers {name} ont été désactivés',
    body: [
      '{project} n’envoie plus d’événements à ce point de terminaison webhook, car {reason, select, gone {il a répondu qu’il n’existe plus (410)} other {toutes les tentatives ont échoué pendant cinq jours}} :',
      '{url}\nHeure : {time}',
      'Rien n’est perdu : tout ce qui s’est passé figure dans le journal des événements. Quand le récepteur fonctionne à nouveau, activez le point de terminaison et récupérez ce qu’il a manqué.',
    ].join('\n\n'),
    action: '',
  },
  status_confirm: {
    subject: 'Confirmez : suivre l’état de {project}',
    body: [
      'Quelqu’un, peut-être vous, souhaite recevoir à cette adresse l’état de {project}. Confirmez, et nous écrirons quand un incident ou une maintenance commence, avance ou se termine :',
      '{link}',
      'Le lien est valable 24 heures. Si vous n’avez rien demandé, ignorez ce message : rien ne sera envoyé.',
    ].join('\n\n'),
    action: 'Confirmer',
  },
  status_code: {
    subject: '{code} ouvre votre abonnement',
    body: [
      'Votre code pour modifier ou arrêter votre abonnement à l’état de {project} :',
      '{code}',
      'Il est valable {minutes} minutes. Si vous ne l’avez pas demandé, ignorez ce message.',
    ].join('\n\n'),
    action: '',
  },
  status_notice: {
    subject:
      '[{project}] {title} : {phase, select, investigating {En cours d’analyse} identified {Cause identifiée} monitoring {Sous surveillance} resolved {Résolu} scheduled {Planifiée} in_progress {En cours} verifying {Vérification} completed {Terminée} reminder {Bientôt} cancelled {Annulée} other {Nouvelle}}',
    body: [
      '{title} : {phase, select, investigating {En cours d’analyse} identified {Cause identifiée} monitoring {Sous surveillance} resolved {Résolu} scheduled {Planifiée} in_progress {En cours} verifying {Vérification} completed {Terminée} reminder {Bientôt} cancelled {Annulée} other {Nouvelle}}',
      '{body}',
      '{components, select, none {Heure : {time}} other {Concernés : {components}\nHeure : {time}}}',
      '{link}',
      'Se désabonner : {unsubscribe}',
    ].join('\n\n'),
    action: 'Ouvrir la page d’état',
  },
  status_alert: {
    subject: '{project} ({environment}) : {overall, select, degraded {état dégradé} other {tout fonctionne à nouveau}}',
    body: [
      '{overall, select, degraded {L’état de {project} ({environment}) est dégradé depuis {time}.} other {{project} ({environment}) fonctionne à nouveau depuis {time}.}} {components, select, none {} other {Concernés : {components}}}',
      '{link}',
    ].join('\n\n'),
    action: 'Ouvrir la page d’état',
  },
  sms_code: {
    subject: '',
    body: ['{code} est votre code {project}. Ne le partagez pas.'].join('\n\n'),
    action: '',
  },
  status_sms_confirm: {
    subject: '',
    body: '{project} : pas de demande de votre part ? Ignorez ceci. Pour recevoir les messages de statut : {link}',
    action: '',
  },
  status_sms_code: {
    subject: '',
    body: '{project} : {code} ouvre votre abonnement au statut. Ne le partagez pas.',
    action: '',
  },
  status_sms_notice: {
    subject: '',
    body: '{project} : {title} ({phase}). Détails, fin : {link}',
    action: '',
  },
};
