import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readFileIfThere, writeFileAtomically } from '@flotilla/kit';

export interface Identity {
  readonly keyPem: string;
  readonly certificatePem: string;
  readonly caPem: string;
  readonly clientId: string;
  readonly projectId: string;
  /** SHA-256 (hex) of the enrolment token. A start with another token enrols again. */
  readonly tokenDigest: string;
}

/** A key that may have been sent to the controller already. Enrolling again with it gives the same client. */
export interface PendingEnrolment {
  readonly keyPem: string;
  readonly tokenDigest: string;
}

const IDENTITY_FIELDS = ['keyPem', 'certificatePem', 'caPem', 'clientId', 'projectId', 'tokenDigest'] as const;
const PENDING_FIELDS = ['keyPem', 'tokenDigest'] as const;

/**
 * Stores the identity in files of mode 0600. They are replaced as a whole, so that key and certificate always belong together.
 * An enrolment in progress has a separate file: until it succeeds, the agent keeps its identity.
 */
export class IdentityFiles {
  readonly #dir: string;

  constructor(dataDir: string) {
    this.#dir = dataDir;
  }

  /**
   * Returns undefined if there is no identity. Throws if it cannot be read, because a new identity would orphan the client.
   */
  async read(): Promise<Identity | undefined> {
    const path = join(this.#dir, 'identity.json');
    const bytes = await readFileIfThere(path);
    if (!bytes) return undefined;
    const identity = parseFields(bytes.toString('utf8'), IDENTITY_FIELDS);
    if (!identity) throw new Error(`${path} is damaged. Remove it and enrol again with a new token.`);
    return identity;
  }

  /** Also ends an enrolment in progress. */
  async write(identity: Identity): Promise<void> {
    await this.#write('identity.json', identity);
    await rm(join(this.#dir, 'enrolment.json'), { force: true });
  }

  async readPending(): Promise<PendingEnrolment | undefined> {
    const bytes = await readFileIfThere(join(this.#dir, 'enrolment.json'));
    return bytes && parseFields(bytes.toString('utf8'), PENDING_FIELDS);
  }

  writePending(pending: PendingEnrolment): Promise<void> {
    return this.#write('enrolment.json', pending);
  }

  async #write(name: string, content: object): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o711 });
    await writeFileAtomically(join(this.#dir, name), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  }
}

function parseFields<Name extends string>(text: string, names: readonly Name[]): Record<Name, string> | undefined {
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null;
    return names.every((name) => typeof value?.[name] === 'string') ? (value as Record<Name, string>) : undefined;
  } catch {
    return undefined;
  }
}
