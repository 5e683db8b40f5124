import { audit } from './en/audit.ts';
import { backups } from './en/backups.ts';
import { cleanUp } from './en/clean-up.ts';
import { controllers } from './en/controllers.ts';
import { groups } from './en/groups.ts';
import { jobs } from './en/jobs.ts';
import { license } from './en/license.ts';
import { permissions } from './en/permissions.ts';
import { projects } from './en/projects.ts';
import { secondFactor } from './en/second-factor.ts';
import { settings } from './en/settings.ts';
import { capabilities, passkeys, signIn } from './en/sign-in.ts';
import { storage } from './en/storage.ts';
import { tokens } from './en/tokens.ts';
import { users } from './en/users.ts';

/** What the screens say, by screen. Another language is another folder with the same members. */
export const texts = {
  audit,
  backups,
  capabilities,
  cleanUp,
  controllers,
  groups,
  jobs,
  license,
  passkeys,
  permissions,
  projects,
  secondFactor,
  settings,
  signIn,
  storage,
  tokens,
  users,
} as const;
