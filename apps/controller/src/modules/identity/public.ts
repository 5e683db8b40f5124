export { createDefaultGroup } from './groups/index.ts';
export {
  type FirstOwner,
  hashPassword,
  keepFirstPassword,
} from './sessions/index.ts';
