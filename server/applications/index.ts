export { checkSecret, createApplication, disableApplication, findApplication, rotateSecret } from './applications.ts';
