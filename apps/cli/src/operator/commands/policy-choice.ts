import { ApiError, type PolicySource } from '@flotilla/contract';
import type { ProgramIo } from '../../programs.ts';
import { readPolicyFiles } from '../apply/policies.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { loadManifests } from '../manifest/load.ts';
import { requireServiceId, type Scope } from '../records.ts';

export interface PolicyChoice {
  readonly policy?: string;
  readonly service?: string;
  readonly file?: string;
}

/** The chosen policies: a stored one, all of a service, or one in a file that is not stored. */
export async function choosePolicies(io: ProgramIo, scope: Scope, choice: PolicyChoice): Promise<PolicySource> {
  const { policy, service, file } = choice;
  if ([policy, service, file].filter((one) => one !== undefined).length !== 1)
    throw new CliFailure(EXIT.usage, 'Give one of --policy, --service and --file.');
  if (policy !== undefined) return { policy };
  if (service !== undefined) return { service_id: await requireServiceId(scope, service) };
  const manifests = await loadManifests(io, [file ?? ''], undefined);
  const [only, ...others] = manifests.filter((manifest) => manifest.kind === 'policy');
  if (!only || others.length > 0) throw new CliFailure(EXIT.usage, `${file}: must contain exactly one policy`);
  const files = await readPolicyFiles(only);
  const isKept = files.some(({ content_base64: content }) => content === undefined);
  return { draft: { text: only.entry.text, files, ...(isKept && { policy: only.name }) } };
}

/** Reports the problems of a policy in a file under the name of the file. */
export function nameDraft(error: unknown, { file }: PolicyChoice): unknown {
  const { details = [], code } = error instanceof ApiError ? error.body : {};
  if (file === undefined || code !== 'policy.invalid') return error;
  const lines = details.map(({ path, message }) => `  ${message.replace(/^draft\.yaml/, file)} (${path})`);
  return new CliFailure(EXIT.failed, 'The policy cannot be used:', lines);
}
