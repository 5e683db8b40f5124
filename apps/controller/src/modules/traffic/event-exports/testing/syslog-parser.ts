/** A message of RFC 5424. */
export interface ParsedMessage {
  readonly priority: number;
  readonly time: string;
  readonly host: string;
  readonly app: string;
  readonly process: string;
  readonly kind: string;
  readonly elements: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly text: string;
}

/* The grammar of section 6, without anything that it does not allow. */
const HEADER =
  /^<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)) ([!-~]{1,255}) ([!-~]{1,48}) ([!-~]{1,128}) ([!-~]{1,32}) /;
const ELEMENT_NAME = /^\[([!#-<>-\\^-~]{1,32})/;
const PARAMETER = /^ ([!#-<>-\\^-~]{1,32})="((?:[^"\\\]]|\\["\\\]])*)"/;

/** Parses the bytes of one message. Throws for everything that a strict receiver refuses. */
export function parseSyslog(bytes: Uint8Array): ParsedMessage {
  const message = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const [header = '', priority, time, host, app, process, kind] = HEADER.exec(message) ?? [];
  if (header === '' || Number(priority) > 191) throw new Error(`no header of RFC 5424: ${message.slice(0, 200)}`);
  if (Number.isNaN(Date.parse(time ?? ''))) throw new Error('no time');
  let rest = message.slice(header.length);
  const elements: Record<string, Record<string, string>> = {};
  if (rest.startsWith('-')) rest = rest.slice(1);
  else {
    while (rest.startsWith('[')) {
      const [opening = '', name = ''] = ELEMENT_NAME.exec(rest) ?? [];
      if (opening === '' || name in elements) throw new Error(`no element: ${rest.slice(0, 100)}`);
      rest = rest.slice(opening.length);
      const parameters: Record<string, string> = {};
      for (let found = PARAMETER.exec(rest); found; found = PARAMETER.exec(rest)) {
        const [all, key = '', value = ''] = found;
        parameters[key] = value.replaceAll(/\\(["\\\]])/g, '$1');
        rest = rest.slice(all.length);
      }
      if (!rest.startsWith(']')) throw new Error(`the element does not end: ${rest.slice(0, 100)}`);
      rest = rest.slice(1);
      elements[name] = parameters;
    }
    if (Object.keys(elements).length === 0) throw new Error('no structured data');
  }
  if (rest !== '' && !rest.startsWith(' ')) throw new Error(`no text after the structured data: ${rest.slice(0, 100)}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(message)) throw new Error('a control character');
  return {
    priority: Number(priority),
    time: time ?? '',
    host: host ?? '',
    app: app ?? '',
    process: process ?? '',
    kind: kind ?? '',
    elements,
    text: rest.slice(1),
  };
}
