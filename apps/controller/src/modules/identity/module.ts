import { Buffer } from 'node:buffer';
import { GENERAL_SETTINGS, LDAP_SETTINGS, OIDC_SETTINGS } from '@flotilla/contract';
import { createSecret, systemClock } from '@flotilla/kit';
import type { Route } from '../../platform/http/route.ts';
import type { Platform } from '../../platform/platform.ts';
import { InstallationName } from '../../platform/settings/index.ts';
import { createApiTokenRoutes, TokenPolicy } from './api-tokens/index.ts';
import {
  Admission,
  createDirectoryRoutes,
  createRealmFollowUp,
  createRecheckJob,
  DirectoryRealms,
} from './directories/index.ts';
import { LdapDirectory } from './ldap/index.ts';
import { createOidcRoutes, createProviderRecheckJob, Flows, OidcSignIn, Providers } from './oidc/index.ts';
import { createMoveGuard, createPasskeyRoutes, Passkeys } from './passkeys/index.ts';
import { createProfileRoutes } from './profile/index.ts';
import { createSecondFactorRoutes, OwnPassword, SecondFactor } from './second-factor/index.ts';
import {
  AccessTokens,
  CsrfTokens,
  createFirstOwner,
  createLockoutRoutes,
  createSessionRoutes,
  createSigningKeyRoutes,
  keepFirstPassword,
  SessionService,
  SignInAttempts,
  SignInPolicy,
  SigningKeys,
  watchFirstPassword,
} from './sessions/index.ts';
import { createSignInRoutes, FactorPipeline } from './sign-in/index.ts';
import { createInvitationRoutes, createUserRoutes, createUserSessionRoutes } from './users/index.ts';

// oxlint-disable-next-line max-lines-per-function -- wiring in dependency order
export async function composeIdentity({
  config,
  database: { db },
  keyring,
  jobs,
  settings,
  logger,
  lifecycle,
}: Platform) {
  const jwtSecret = config.jwtSecret
    ? Buffer.from(config.jwtSecret)
    : await keyring.installationSecret('jwt', () => Buffer.from(createSecret(48)));
  const outside = config.jwtSecret ? jwtSecret : undefined;
  const keys = new SigningKeys({ db, cipher: keyring, clock: systemClock, outside });
  const tokens = new AccessTokens(keys);
  const policy = await SignInPolicy.open(settings);
  lifecycle.add(() => policy.close());
  const tokenPolicy = await TokenPolicy.open(settings);
  lifecycle.add(() => tokenPolicy.close());
  const attempts = new SignInAttempts(db, policy);
  const csrf = new CsrfTokens(jwtSecret);
  const sessions = new SessionService({ db, tokens, csrf, cipher: keyring, policy, attempts });
  const uses = sessions.uses.start(logger);
  lifecycle.add(() => uses.close());
  const installation = await InstallationName.open(settings);
  lifecycle.add(() => installation.close());
  const factor = await SecondFactor.open(keyring, () => installation.value);
  const address = async () => (await settings.getAcceptable(GENERAL_SETTINGS)).value.public_url ?? config.publicUrl;
  const passkeys = new Passkeys(db, address, () => installation.value);
  settings.addGuard(GENERAL_SETTINGS, createMoveGuard(config.publicUrl));
  const pipeline = new FactorPipeline({ db, keyring, factor, passkeys, attempts });
  const admission = new Admission(db, () => sessions.forget());
  const ldap = new LdapDirectory({ settings, clock: systemClock, logger });
  const recheck = createRecheckJob({ db, ldap, onChange: () => sessions.forget() });
  const followRealm = createRealmFollowUp(() => sessions.forget());
  settings.addFollowUp(LDAP_SETTINGS, followRealm);
  settings.addFollowUp(OIDC_SETTINGS, followRealm);
  const realms = new DirectoryRealms({ db, ldap, admission, attempts });
  const ownPassword = new OwnPassword(sessions, realms);
  const providers = new Providers({ settings, clock: systemClock, logger });
  const flows = new Flows(keyring);
  const oidc = new OidcSignIn({ db, providers, flows, admission, keyring, address, logger });
  const providerRecheck = createProviderRecheckJob({
    db,
    keyring,
    providers,
    logger,
    onChange: () => sessions.forget(),
  });
  const listProviders = async () => ((await address()) === undefined ? [] : providers.list());
  const firstOwner = await createFirstOwner(db, {
    now: new Date(),
    givenPassword: config.firstOwnerPassword,
    keepPassword: (password) => keepFirstPassword(config.firstPasswordFile, password),
  });
  const firstPassword = watchFirstPassword(db, config.firstPasswordFile, logger);
  lifecycle.add(() => firstPassword.close());
  const routes: Route[] = [
    ...createSessionRoutes(sessions, pipeline, realms),
    ...createSigningKeyRoutes(keys),
    ...createLockoutRoutes(attempts),
    ...createSignInRoutes({ sessions, pipeline, passkeys }),
    ...createDirectoryRoutes({
      ldap,
      installation,
      listProviders,
      settings,
      policy,
      hasPasskeys: () => passkeys.isReady(),
    }),
    ...createOidcRoutes({ signIn: oidc, flows, sessions, pipeline }),
    ...createPasskeyRoutes({ ownPassword, passkeys, factor }),
    ...createSecondFactorRoutes({ ownPassword, factor, attempts, settings, keyring }),
    ...createProfileRoutes(sessions),
    ...createUserRoutes(policy),
    ...createInvitationRoutes(),
    ...createUserSessionRoutes(attempts),
    ...createApiTokenRoutes(tokenPolicy),
  ];
  jobs.register(recheck);
  jobs.register(providerRecheck);
  return { authenticator: sessions, firstOwner, routes };
}
