import { App } from 'aws-cdk-lib';
import { HoldfastStack } from './stack.ts';

new HoldfastStack(new App(), 'Holdfast');
