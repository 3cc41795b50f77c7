export const issuer = 'http://localhost:4001';
export const clientId = 'the clientId of your application';
