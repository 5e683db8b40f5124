export { OperationOwner } from './operation-owner.tsx';
