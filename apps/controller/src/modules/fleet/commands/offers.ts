import type { Configuration } from '../../configuration/public.ts';
import type { ParsedBody } from './bodies.ts';
import type { CommandRule } from './table.ts';
import type { RequestedTarget } from './targets.ts';

/** The download of a release for a client, or why the archive has none for it. */
export type ArchiveOffer = { readonly url: string; readonly sha256: string } | { readonly missing: string };

/** The releases that hosts can install. */
export type Offers = Pick<Configuration['archive'], 'offer'>;

/**
 * Looks up the release for each client, whose architecture decides. Undefined: the command installs nothing, or no archive
 * is configured. The digest goes with the command, because an agent must not trust one that it has downloaded itself.
 */
export async function findOffers(
  archive: Offers,
  { rule, parsed, targets }: { rule: CommandRule; parsed: ParsedBody; targets: readonly RequestedTarget[] },
): Promise<ReadonlyMap<string, ArchiveOffer> | undefined> {
  const version = parsed.hostVersion;
  const isInstall = rule.operation === 'SET_VERSION' || rule.type === 'UPGRADE_LISTENER';
  if (!isInstall || version === undefined) return undefined;
  const kind = rule.type === 'WAF_VERSION' ? 'waf' : 'envoy';
  const offers = new Map<string, ArchiveOffer>();
  for (const { client } of targets) {
    if (!client) continue;
    const offer = await archive.offer({ kind, version, arch: client.arch });
    if (offer) offers.set(client.id, offer.ok ? offer.value : { missing: offer.error });
    else if (kind === 'waf') offers.set(client.id, { missing: 'no release archive is configured on the controller' });
  }
  return offers.size > 0 ? offers : undefined;
}
