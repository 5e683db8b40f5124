export const geoip = {
  title: 'GeoIP',
  lead: 'Databases that say where an address is and whose network it is in, in the format of MaxMind (.mmdb). They hold for the whole installation.',
  what: 'The GeoIP databases',
  kinds: {
    city: ['City database', 'Country, region and city of an address.'],
    asn: ['Network database', 'Number and name of the network (AS) that an address is in.'],
  } as const,
  facts: {
    state: 'State',
    type: 'Database',
    built: 'Built',
    size: 'Size',
    uploaded: 'Taken',
    by: 'By',
    digest: 'SHA-256',
  },
  present: ['Present', 'It is of its kind and whole'] as const,
  old: ['Out of date', 'It was built more than two months ago: networks change hands'] as const,
  about: (what: string, isPresent: boolean) =>
    isPresent
      ? what
      : `${what} None is loaded, so nothing can tell it. A file of up to 256 MiB is taken, and checked first.`,
  upload: {
    action: 'Upload',
    label: (kind: string) => `Upload: ${kind}`,
    replace: 'Replace',
    replaceLabel: (kind: string) => `Replace: ${kind}`,
    failed: 'The database was not taken',
    done: (kind: string) => `${kind}: the new file is in use.`,
  },
  fetch: {
    action: 'Fetch …',
    label: (kind: string) => `Fetch: ${kind}`,
    title: (kind: string) => `${kind}: fetch it`,
    text: 'The controller fetches the file itself and takes it only if it is the one that you mean, and of its kind.',
    url: 'Address',
    urlHint: 'Asked once, as it stands; a key in it is not kept. What ends in .gz is unpacked.',
    urlInvalid: 'An address with https or http, without a user name',
    digest: 'SHA-256',
    digestHint: 'Of the file as it lies there: 64 hex digits, which its publisher names.',
    digestInvalid: 'Not 64 hex digits',
    submit: 'Fetch',
    failed: 'The database was not fetched',
  },
  remove: {
    action: 'Delete',
    label: (kind: string) => `Delete: ${kind}`,
    title: (kind: string) => `${kind}: delete it?`,
    text: 'Places or networks are not known from then on, until there is another one.',
    done: (kind: string) => `${kind}: deleted.`,
  },
};
