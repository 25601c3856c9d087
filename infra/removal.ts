import { RemovalPolicy } from 'aws-cdk-lib';
import type { Settings } from './settings.ts';

/** What becomes of that which cannot be made again when the stack is deleted. */
export const removalOf = ({ removal }: Settings) => (removal === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY);
