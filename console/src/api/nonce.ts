/** The nonce that the content security policy requires of styles created at run time. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
