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

/** Returns the chosen policies: a stored one, all policies of a service, or one from a file. */
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
  const usesStoredFile = files.some(({ content_base64: content }) => content === undefined);
  return { draft: { text: only.entry.text, files, ...(usesStoredFile && { policy: only.name }) } };
}

/** Replaces the name of a draft in problems by the name of its file. */
export function nameDraft(error: unknown, { file }: PolicyChoice): unknown {
  const { details = [], code } = error instanceof ApiError ? error.body : {};
  if (file === undefined || code !== 'policy.invalid') return error;
  const lines = details.map(({ path, message }) => `  ${message.replace(/^draft\.yaml/, file)} (${path})`);
  return new CliFailure(EXIT.failed, 'The policy cannot be used:', lines);
}
