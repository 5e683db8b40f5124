import { Buffer } from 'node:buffer';
import { createSecret } from '@flotilla/kit';
import type { ComposeParts } from './compose-parts.ts';
import { createApiTokenRoutes } from './features/api-tokens/index.ts';
import { createGroupRoutes } from './features/groups/index.ts';
import { createPasskeyRoutes, Passkeys } from './features/passkeys/index.ts';
import { createProfileRoutes } from './features/profile/index.ts';
import { createProjectRoutes } from './features/projects/index.ts';
import { createSecondFactorRoutes, SecondFactor } from './features/second-factor/index.ts';
import {
  CsrfTokens,
  createFirstOwner,
  createSessionRoutes,
  SessionService,
  SignInAttempts,
  TokenSigner,
} from './features/sessions/index.ts';
import { createSignInRoutes, FactorPipeline } from './features/sign-in/index.ts';
import { createUserRoutes } from './features/users/index.ts';
import type { Route } from './http/route.ts';

/** Who may come in, and what they may do where: sessions, users, projects, tokens. */
export async function composeIdentity({ config, database: { db }, keyring }: ComposeParts) {
  const jwtSecret = config.jwtSecret
    ? Buffer.from(config.jwtSecret)
    : await keyring.installationSecret('jwt', () => Buffer.from(createSecret(48)));
  const sessions = new SessionService({ db, signer: new TokenSigner(jwtSecret), csrf: new CsrfTokens(jwtSecret) });
  const attempts = new SignInAttempts(db);
  const factor = await SecondFactor.open(keyring);
  const passkeys = new Passkeys(db, config.publicUrl);
  const pipeline = new FactorPipeline({ db, keyring, factor, passkeys, attempts });
  const firstOwner = await createFirstOwner(db, new Date(), config.firstOwnerPassword);
  const routes: Route[] = [
    ...createSessionRoutes(sessions, pipeline),
    ...createSignInRoutes({ sessions, pipeline, passkeys }),
    ...createPasskeyRoutes(sessions, passkeys),
    ...createSecondFactorRoutes({ sessions, factor, attempts }),
    ...createProfileRoutes(sessions),
    ...createUserRoutes(),
    ...createProjectRoutes(),
    ...createApiTokenRoutes(),
    ...createGroupRoutes(),
  ];
  return { authenticator: sessions, firstOwner, routes };
}
