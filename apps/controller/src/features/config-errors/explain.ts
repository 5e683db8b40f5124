/** Known complaints of Envoy and of the filter, and what helps. First match wins. */
const HINTS: ReadonlyArray<{ readonly pattern: RegExp; readonly fix: string }> = [
  {
    pattern: /address already in use|cannot bind/i,
    fix: 'Another listener or program on the host uses this address. Choose another address or port, or stop the other one.',
  },
  { pattern: /permission denied/i, fix: 'Allow the service user of the host to use this address or file.' },
  {
    pattern: /unknown cluster|no such cluster/i,
    fix: 'Name a cluster that exists in the configuration of this service, or create it.',
  },
  {
    pattern: /didn't find a registered implementation|unknown (?:extension|type)|unable to unpack/i,
    fix: 'This proxy version does not have the extension. Use another one, or a proxy version that has it.',
  },
  {
    pattern: /proto constraint validation failed|constraint/i,
    fix: 'A field has a value that Envoy does not allow. The message names the field and the rule.',
  },
  { pattern: /duplicate|already exists/i, fix: 'Two of the same name or match: rename or remove one.' },
  {
    pattern: /certificate|private key|tls/i,
    fix: 'Check that certificate and private key belong together and are PEM, and that the chain is complete.',
  },
  {
    pattern: /no such file|invalid path|unable to read|does not exist/i,
    fix: 'Name a file in the folder of the service, or give the content inline.',
  },
  {
    pattern: /deprecated/i,
    fix: 'Envoy refuses this field by default in this version. Use the field that took its place.',
  },
  {
    pattern: /regex/i,
    fix: 'The regular expression is not valid RE2. Look-around and back-references are not part of it.',
  },
];

export function suggestFix(rawMessage: string): string | null {
  return HINTS.find(({ pattern }) => pattern.test(rawMessage))?.fix ?? null;
}
