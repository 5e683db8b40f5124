import {
  directoryRoutes,
  LDAP_REALM,
  LDAP_SETTINGS,
  type LdapSettings,
  LOCAL_REALM,
  ldapTrialRoutes,
  type Realm,
} from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { InstallationName, Settings } from '../../../platform/settings/index.ts';
import { groupMatcher, type LdapDirectory, type LdapPerson, trySignIn } from '../ldap/index.ts';
import type { SignInPolicy } from '../sessions/index.ts';
import { rolesOf } from './mapping.ts';

interface Deps {
  readonly ldap: LdapDirectory;
  readonly installation: Pick<InstallationName, 'value'>;
  readonly settings: Settings;
  /** The providers that a browser can be redirected to. */
  readonly listProviders: () => Promise<{ name: string; title: string }[]>;
  readonly hasPasskeys: () => Promise<boolean>;
  readonly policy: SignInPolicy;
}

/** Public facts for the sign-in page: names without addresses, and the password rules. */
export function createDirectoryRoutes({
  ldap,
  installation,
  listProviders,
  hasPasskeys,
  policy,
  settings,
}: Deps): Route[] {
  return [
    implement(directoryRoutes.realms, async () => {
      const [directory, providers] = await Promise.all([ldap.configuration(), listProviders()]);
      const items: Realm[] = [{ name: LOCAL_REALM, kind: 'local', title: installation.value, start: null }];
      if (directory) items.push({ name: LDAP_REALM, kind: 'ldap', title: directory.title, start: null });
      for (const { name, title } of providers)
        items.push({ name, kind: 'oidc', title, start: `/auth/oidc/${name}/start` });
      return {
        body: {
          installation: installation.value,
          items,
          passkeys: await hasPasskeys(),
          password_min_length: policy.rules.password_min_length,
        },
      };
    }),
    implement(ldapTrialRoutes.signIn, async (ctx, { body }) => {
      const configuration = await settings.resolve(LDAP_SETTINGS, body.configuration);
      const begun = performance.now();
      const { steps, answer } = await trySignIn(configuration, body);
      const person = answer?.kind === 'person' ? answer.person : undefined;
      const ok = person !== undefined;
      const latencyMs = Math.round(performance.now() - begun);
      return ctx.write(async () => ({
        reply: { body: { ok, latency_ms: latencyMs, steps, person: person ? toFound(configuration, person) : null } },
        audit: { type: 'setting', name: 'ldap', changes: { ok, stored: body.configuration === undefined } },
      }));
    }),
  ];
}

function toFound({ mapping }: LdapSettings, { dn, username, email, groups }: LdapPerson) {
  const roles = [...rolesOf(mapping, groupMatcher(groups))].map(([project, role]) => ({ project, role }));
  return { dn, username, email, groups, roles };
}
