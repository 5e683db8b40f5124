import { hash } from 'node:crypto';

/** SHA-256 of a key's UTF-8 text in lowercase hexadecimal: the form in which keys are stored and looked up. */
export function digestApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}
