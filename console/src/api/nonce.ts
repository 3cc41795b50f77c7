/** What styles made at run time carry, so that the content security policy lets them count. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
