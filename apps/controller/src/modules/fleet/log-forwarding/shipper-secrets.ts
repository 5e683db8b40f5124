import { KEPT_SECRET } from '@flotilla/contract';
import { invalidField, type Members, readAt } from './secrets.ts';

const OUTPUT = ['filebeat', 'filebeat_output', 'elasticsearch'];
/** The secrets that the host shows to the server. */
const SENT_SECRETS = [['api_key'], ['basic_auth', 'password']];

/** A user without an API key replaces a stored key. */
export function replaceOtherSecret(body: Members): Members {
  const output = readAt(body, OUTPUT) as Members | undefined;
  if (!output || output.basic_auth === null || output.api_key !== undefined) return body;
  const filebeat = body.filebeat as Members;
  return { ...body, filebeat: { ...filebeat, filebeat_output: { elasticsearch: { ...output, api_key: null } } } };
}

/**
 * Throws command.invalid if an update keeps a secret and sends it elsewhere: to a host that is not in the stored configuration, or to
 * one whose certificate is no longer checked. Otherwise an administrator who cannot read the secret could have it sent to himself.
 */
export function requireSamePlace(given: Members, stored: Members | undefined): void {
  const [output, before] = [readAt(given, OUTPUT), stored && readAt(stored, OUTPUT)] as (Members | undefined)[];
  if (!output || !before) return;
  const known = before.hosts as readonly string[];
  const isElsewhere = (output.hosts as readonly string[]).some((host) => !known.includes(host));
  const isUnchecked = output.skip_ssl_verify === true && before.skip_ssl_verify !== true;
  if (!isElsewhere && !isUnchecked) return;
  for (const path of SENT_SECRETS) {
    const parent = readAt(output, path.slice(0, -1));
    const value = readAt(output, path);
    const isKept = value === KEPT_SECRET || (value === undefined && typeof parent === 'object' && parent !== null);
    if (!isKept || typeof readAt(before, path) !== 'string') continue;
    const why = isElsewhere ? 'the hosts change' : 'the certificate is no longer checked';
    throw invalidField([...OUTPUT, ...path].join('.'), `give it again, or null: ${why}`);
  }
}

/** Throws command.invalid for a combination that no host accepts. */
export function requireWholeShipper(body: Members): void {
  const output = readAt(body, OUTPUT) as Members | undefined;
  const user = output?.basic_auth as Members | null | undefined;
  if (!output || !user) return;
  if (typeof user.password !== 'string') throw invalidField([...OUTPUT, 'basic_auth.password'].join('.'), 'is needed');
  if (typeof output.api_key === 'string')
    throw invalidField([...OUTPUT, 'api_key'].join('.'), 'and basic_auth exclude each other');
}
