import type { TemplateId, TemplateText } from './templates.ts';

export const spanish: Readonly<Record<TemplateId, TemplateText>> = {
  verify_email: {
    subject: '{code} es tu código de {project}',
    body: [
      'Confirma tu dirección para {project} con este código:',
      '{code}',
      'O confírmala en un paso:',
      '{link}',
      'Ambos valen {minutes} minutos. Si no lo has pedido, ignora este mensaje: sin ti no pasa nada.',
    ].join('\n\n'),
    action: 'Confirmar dirección',
  },
  sign_in_code: {
    subject: '{code} es tu código de {project}',
    body: [
      'Tu código para entrar en {project}:',
      '{code}',
      'Vale {minutes} minutos. Si no lo has pedido, ignora este mensaje: sin el código no pasa nada.',
    ].join('\n\n'),
    action: '',
  },
  magic_link: {
    subject: 'Entrar en {project}',
    body: [
      'Entra en {project} con este enlace:',
      '{link}',
      'O escribe este código donde lo pediste:',
      '{code}',
      'Ambos valen {minutes} minutos y una sola vez. Si no lo has pedido, ignora este mensaje: nadie entra sin él.',
    ].join('\n\n'),
    action: 'Entrar',
  },
  reset_password: {
    subject: 'Restablecer tu contraseña de {project}',
    body: [
      'Elige una contraseña nueva para {project}:',
      '{link}',
      'O escribe este código donde lo pediste:',
      '{code}',
      'Ambos valen {minutes} minutos. Si no lo has pedido, ignora este mensaje: tu contraseña no cambia.',
    ].join('\n\n'),
    action: 'Elegir contraseña',
  },
  change_email: {
    subject: '{code} confirma tu nueva dirección de {project}',
    body: [
      'Confirma esta dirección para tu cuenta de {project} con este código:',
      '{code}',
      'Vale {minutes} minutos. Si no lo has pedido, ignora este mensaje.',
    ].join('\n\n'),
    action: '',
  },
  known_address: {
    subject: 'Ya tienes una cuenta de {project}',
    body: [
      'Alguien, quizá tú, ha intentado registrarse con esta dirección en {project}. Ya tienes una cuenta: entra con ella.',
      'Si no fuiste tú, no hay nada que hacer: nada ha cambiado.',
    ].join('\n\n'),
    action: '',
  },
  setup_link: {
    subject: 'Configurar {organization} en {project}',
    body: [
      '{project} le pide que configure {organization}. La página de este enlace indica lo que puede configurar.',
      '{link}',
      'El enlace es válido durante {days, plural, one {un día} other {# días}}. No lo comparta: no necesita contraseña. Si no lo esperaba, ignore este correo.',
    ].join('\n\n'),
    action: 'Empezar',
  },
  invitation: {
    subject: 'Te han invitado a {project}',
    body: [
      'Te han invitado a unirte a {project}.',
      '{link}',
      'La invitación vale {days, plural, one {un día} other {# días}}. Si no la esperabas, ignora este mensaje.',
    ].join('\n\n'),
    action: 'Aceptar la invitación',
  },
  new_device: {
    subject: 'Nuevo inicio de sesión en {project}',
    body: [
      'Se ha iniciado sesión en tu cuenta de {project} desde un dispositivo que no se había usado antes.',
      'Dispositivo: {device}\nDirección: {ip}\nHora: {time}',
      'Si fuiste tú, no hay nada que hacer. Si no, cambia tu contraseña y cierra la sesión en los ajustes de tu cuenta.',
    ].join('\n\n'),
    action: '',
  },
  credential_changed: {
    subject: 'Tu cuenta de {project} ha cambiado',
    body: [
      '{change, select, password {Se ha cambiado la contraseña de tu cuenta.} email {Se ha cambiado la dirección de correo de tu cuenta.} phone {Se ha cambiado el número de teléfono de tu cuenta.} totp_added {Se ha añadido una aplicación de autenticación a tu cuenta.} totp_removed {Se ha quitado la aplicación de autenticación de tu cuenta.} phone_factor_added {Se ha añadido un teléfono como segundo paso a tu cuenta.} phone_factor_removed {Se ha quitado el teléfono como segundo paso de tu cuenta.} passkey_added {Se ha añadido una llave de acceso a tu cuenta.} passkey_removed {Se ha quitado una llave de acceso de tu cuenta.} passkey_changed {Se ha cambiado si una llave de acceso de tu cuenta se pide como segundo paso.} recovery_codes {Se han creado nuevos códigos de recuperación para tu cuenta.} recovery_code_used {Se ha usado un código de recuperación de tu cuenta.} mfa_reset {Un administrador ha quitado los segundos pasos de tu cuenta.} identity_linked {Se ha vinculado un proveedor de acceso a tu cuenta.} identity_unlinked {Se ha quitado un proveedor de acceso de tu cuenta.} reclaimed {Has confirmado que esta dirección es tuya. Se ha quitado todo lo que antes servía para entrar en su cuenta: contraseñas, llaves de acceso, segundos pasos, proveedores vinculados y sesiones.} other {Tu cuenta ha cambiado.}}',
      'Hora: {time}',
      'Si no fuiste tú, restablece tu contraseña de inmediato y contacta con {project}.',
    ].join('\n\n'),
    action: '',
  },
  account_erasure: {
    subject: 'Tu cuenta de {project} se eliminará',
    body: [
      'Tu cuenta de {project} y todo lo que se guarda sobre ti se eliminarán el {date}.',
      'Para conservarla, inicia sesión antes. Si no lo pediste tú, inicia sesión y cambia tu contraseña.',
    ].join('\n\n'),
    action: '',
  },
  application_acts: {
    subject: '{application} actúa por usted en {project}',
    body: [
      'La aplicación {application} de {project} actúa ahora por usted: puede usar servicios en su nombre con los derechos que le ha dado.',
      'Empezó el {time} y termina cuando cierra la sesión. La encuentra y la retira en los ajustes de su cuenta, en aplicaciones.',
      'Si no lo esperaba, cierre sus sesiones y póngase en contacto con {project}.',
    ].join('\n\n'),
    action: '',
  },
  impersonated: {
    subject: 'Alguien actúa como usted en {project}',
    body: [
      'Una persona del equipo de {project} actúa como usted desde {time}, durante {minutes} minutos como máximo. Ve y usa los servicios como usted. No puede cambiar su forma de iniciar sesión.',
      'El motivo indicado: {reason}',
      'Si no lo esperaba, termínelo en su cuenta o póngase en contacto con {project}.',
    ].join('\n\n'),
    action: '',
  },
  account_throttled: {
    subject: 'Muchos intentos fallidos en tu cuenta de {project}',
    body: [
      'Alguien ha intentado muchas veces entrar en tu cuenta de {project} con una contraseña incorrecta, la última a las {time}. Frenamos esos intentos. Puedes seguir entrando desde lugares que ya has usado, o restablecer tu contraseña.',
      'Si no fuiste tú, una contraseña larga y propia y una llave de acceso protegen tu cuenta.',
    ].join('\n\n'),
    action: '',
  },
  failed_attempts: {
    subject: 'Inicio de sesión tras intentos fallidos',
    body: [
      'Se ha iniciado sesión en tu cuenta de {project} a las {time}, tras {count, plural, one {un intento fallido} other {# intentos fallidos}}. Si fuiste tú, no hay nada que hacer. Si no, cambia tu contraseña ahora.',
    ].join('\n\n'),
    action: '',
  },
  deletion: {
    subject: '{what, select, workspace {El espacio de trabajo} other {El proyecto}} {name} se eliminará',
    body: [
      '{person} ha pedido eliminar {what, select, workspace {el espacio de trabajo {name} con todos sus proyectos} other {el proyecto {name} del espacio de trabajo {workspace}}}. Queda cerrado desde ahora: nadie puede iniciar sesión ni usar sus interfaces.',
      'El {date} se eliminará todo definitivamente, también las cuentas. Hasta entonces, un propietario puede restaurarlo.',
      '{link}',
      'Si nadie de vosotros lo quería, restauradlo y cambiad vuestras contraseñas.',
    ].join('\n\n'),
    action: 'Abrir la consola',
  },
  webhook_disabled: {
    subject: 'Se desactivaron los webhooks a {name}',
    body: [
      '{project} ya no envía eventos a este punto de conexión de webhook, porque {reason, select, gone {respondió que ya no existe (410)} other {todos los intentos fallaron durante cinco días}}:',
      '{url}\nHora: {time}',
      'No se ha perdido nada: lo ocurrido está en el registro de eventos. Cuando el receptor vuelva a funcionar, activa el punto de conexión y recupera lo que se perdió.',
    ].join('\n\n'),
    action: '',
  },
  status_confirm: {
    subject: 'Confirme: seguir el estado de {project}',
    body: [
      'Alguien, quizá usted, pidió recibir en esta dirección el estado de {project}. Confírmelo y escribiremos cuando un incidente o mantenimiento empiece, avance o termine:',
      '{link}',
      'El enlace vale 24 horas. Si no lo pidió, ignore este correo: no se enviará nada.',
    ].join('\n\n'),
    action: 'Confirmar',
  },
  status_code: {
    subject: '{code} abre su suscripción',
    body: [
      'Su código para cambiar o terminar su suscripción al estado de {project}:',
      '{code}',
      'Vale {minutes} minutos. Si no lo pidió, ignore este correo.',
    ].join('\n\n'),
    action: '',
  },
  status_notice: {
    subject:
      '[{project}] {title}: {phase, select, investigating {En investigación} identified {Causa identificada} monitoring {En observación} resolved {Resuelto} scheduled {Programado} in_progress {En curso} verifying {En comprobación} completed {Terminado} reminder {Pronto} cancelled {Cancelado} other {Novedad}}',
    body: [
      '{title}: {phase, select, investigating {En investigación} identified {Causa identificada} monitoring {En observación} resolved {Resuelto} scheduled {Programado} in_progress {En curso} verifying {En comprobación} completed {Terminado} reminder {Pronto} cancelled {Cancelado} other {Novedad}}',
      '{body}',
      '{components, select, none {Hora: {time}} other {Afectados: {components}\nHora: {time}}}',
      '{link}',
      'Darse de baja: {unsubscribe}',
    ].join('\n\n'),
    action: 'Abrir la página de estado',
  },
  status_alert: {
    subject:
      '{project} ({environment}): {overall, select, degraded {el estado está degradado} other {todo vuelve a funcionar}}',
    body: [
      '{overall, select, degraded {El estado de {project} ({environment}) está degradado desde {time}.} other {{project} ({environment}) vuelve a funcionar desde {time}.}} {components, select, none {} other {Afectados: {components}}}',
      '{link}',
    ].join('\n\n'),
    action: 'Abrir la página de estado',
  },
  sms_code: {
    subject: '',
    body: ['{code} es tu código de {project}. No lo compartas.'].join('\n\n'),
    action: '',
  },
  status_sms_confirm: {
    subject: '',
    body: '{project}: si no lo pediste, ignora esto. Para recibir avisos de estado: {link}',
    action: '',
  },
  status_sms_code: {
    subject: '',
    body: '{project}: {code} abre tu suscripción al estado. No lo compartas.',
    action: '',
  },
  status_sms_notice: {
    subject: '',
    body: '{project}: {title} ({phase}). Detalles, baja: {link}',
    action: '',
  },
};
