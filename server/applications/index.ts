export {
  type Application,
  checkSecret,
  createApplication,
  disableApplication,
  findApplication,
  rotateSecret,
} from './applications.ts';
