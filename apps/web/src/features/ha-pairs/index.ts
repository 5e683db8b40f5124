export { PairOfClient, PairOfRemovedClient } from './pair-of-client.tsx';
