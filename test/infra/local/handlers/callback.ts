export { handler } from './answer.ts';
