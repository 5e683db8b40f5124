import { type CertificateState as EndState, judgeCertificateEnd } from '@flotilla/contract';
import { type DerElement, readDer, readDerTime } from './der.ts';

export interface Certificate {
  /** Common name of the subject; empty if it has none. */
  readonly subject: string;
  /** ms since 1970. */
  readonly validFrom: number;
  readonly validUntil: number;
}

export type CertificateState = EndState | 'not_yet';

const PEM = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;
const SEQUENCE = 0x30;
const SET = 0x31;
const VERSION = 0xa0;
/** 2.5.4.3, encoded */
const COMMON_NAME = '85,4,3';

/** Returns the distinct PEM certificates in a document, as text or base64 bytes, earliest expiry first. */
export function readCertificates(resource: unknown): readonly Certificate[] {
  const bodies = listTexts(resource).flatMap((text) =>
    [...text.matchAll(PEM)].map(([, body = '']) => body.replace(/\s/g, '')),
  );
  return [...new Set(bodies)]
    .flatMap((body) => readCertificate(decode(body)) ?? [])
    .toSorted((a, b) => a.validUntil - b.validUntil);
}

export function judgeCertificate({ validFrom, validUntil }: Certificate, nowMs: number): CertificateState {
  const state = judgeCertificateEnd(new Date(validUntil), new Date(nowMs));
  return state !== 'ended' && validFrom > nowMs ? 'not_yet' : state;
}

function listTexts(value: unknown, name = ''): readonly string[] {
  if (typeof value === 'string') return [name === 'inline_bytes' ? new TextDecoder().decode(decode(value)) : value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => listTexts(member, key));
}

function decode(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/**
 * Parses one certificate. RFC 5280, 4.1: the signed part has, after an optional version, serial, algorithm, issuer, validity and subject.
 */
function readCertificate(der: Uint8Array): Certificate | undefined {
  const signed = membersOf(membersOf(readDer(der)?.[0])[0]);
  const [, , , validity, subject] = signed[0]?.tag === VERSION ? signed.slice(1) : signed;
  const [from, until] = membersOf(validity);
  if (!from || !until) return undefined;
  const certificate = {
    subject: readCommonName(subject),
    validFrom: readDerTime(from),
    validUntil: readDerTime(until),
  };
  return Number.isNaN(certificate.validFrom + certificate.validUntil) ? undefined : certificate;
}

function readCommonName(subject: DerElement | undefined): string {
  for (const set of membersOf(subject)) {
    for (const attribute of membersOf(set)) {
      const [type, value] = membersOf(attribute);
      if (value && type?.bytes.join() === COMMON_NAME) return new TextDecoder().decode(value.bytes);
    }
  }
  return '';
}

function membersOf(element: DerElement | undefined): readonly DerElement[] {
  return element?.tag === SEQUENCE || element?.tag === SET ? (readDer(element.bytes) ?? []) : [];
}
