import { Buffer } from 'node:buffer';
import { createSecret, systemClock } from '@flotilla/kit';
import type { ComposeParts } from './compose-parts.ts';
import { createApiTokenRoutes } from './features/api-tokens/index.ts';
import { createGroupRoutes } from './features/groups/index.ts';
import { createPasskeyRoutes, Passkeys } from './features/passkeys/index.ts';
import { createProfileRoutes } from './features/profile/index.ts';
import { createProjectRoutes } from './features/projects/index.ts';
import { createSecondFactorRoutes, SecondFactor } from './features/second-factor/index.ts';
import {
  AccessTokens,
  CsrfTokens,
  createFirstOwner,
  createSessionRoutes,
  createSigningKeyRoutes,
  SessionService,
  SignInAttempts,
  SigningKeys,
} from './features/sessions/index.ts';
import { createSignInRoutes, FactorPipeline } from './features/sign-in/index.ts';
import { createUserRoutes, createUserSessionRoutes } from './features/users/index.ts';
import type { Route } from './http/route.ts';

/** Who may come in, and what they may do where: sessions, users, projects, tokens. */
export async function composeIdentity({ config, database: { db }, keyring, logger, lifecycle }: ComposeParts) {
  const jwtSecret = config.jwtSecret
    ? Buffer.from(config.jwtSecret)
    : await keyring.installationSecret('jwt', () => Buffer.from(createSecret(48)));
  const outside = config.jwtSecret ? jwtSecret : undefined;
  const keys = new SigningKeys({ db, sealer: keyring, clock: systemClock, outside });
  const tokens = new AccessTokens(keys);
  const sessions = new SessionService({ db, tokens, csrf: new CsrfTokens(jwtSecret), sealer: keyring });
  const uses = sessions.uses.start(logger);
  lifecycle.add(() => uses.close());
  const attempts = new SignInAttempts(db);
  const factor = await SecondFactor.open(keyring);
  const passkeys = new Passkeys(db, config.publicUrl);
  const pipeline = new FactorPipeline({ db, keyring, factor, passkeys, attempts });
  const firstOwner = await createFirstOwner(db, new Date(), config.firstOwnerPassword);
  const routes: Route[] = [
    ...createSessionRoutes(sessions, pipeline),
    ...createSigningKeyRoutes(keys),
    ...createSignInRoutes({ sessions, pipeline, passkeys }),
    ...createPasskeyRoutes(sessions, passkeys),
    ...createSecondFactorRoutes({ sessions, factor, attempts }),
    ...createProfileRoutes(sessions),
    ...createUserRoutes(),
    ...createUserSessionRoutes(attempts),
    ...createProjectRoutes(),
    ...createApiTokenRoutes(),
    ...createGroupRoutes(),
  ];
  return { authenticator: sessions, firstOwner, routes };
}
