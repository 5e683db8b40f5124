import { redactFrr } from './redact/redact-frr.ts';
import { redactJson } from './redact/redact-json.ts';
import { redactNetplan } from './redact/redact-netplan.ts';
import { redactNetworkd } from './redact/redact-networkd.ts';
import { redactPlain } from './redact/redact-plain.ts';
import { redactRsyslog } from './redact/redact-rsyslog.ts';
import type { SecretSet } from './redact/secret-set.ts';

/** The kind of a text, which decides what in it is a secret. */
export type TextKind = 'plain' | 'json' | 'frr' | 'netplan' | 'networkd' | 'rsyslog';

export interface SourceText {
  readonly text: string;
  /** The beginning is missing, because the source is larger than its limit. */
  readonly isCut: boolean;
}

/** Something that a bundle contains. */
export interface BundleSource {
  /** The path in the archive. */
  readonly name: string;
  /** Where it comes from, for people. */
  readonly from: string;
  readonly kind: TextKind;
  /** Undefined: the host does not have it. Rejects if it cannot be read. */
  read(signal: AbortSignal): Promise<SourceText | undefined>;
}

const REDACTORS: Readonly<Record<TextKind, (text: string, secrets: SecretSet) => string>> = {
  plain: redactPlain,
  json: redactJson,
  frr: redactFrr,
  netplan: redactNetplan,
  networkd: redactNetworkd,
  rsyslog: redactRsyslog,
};

/** Masks the secrets of a source and notes those that may occur elsewhere, too. Throws if the text has another form. */
export function redactSource(kind: TextKind, text: string, secrets: SecretSet): string {
  return REDACTORS[kind](text, secrets);
}
