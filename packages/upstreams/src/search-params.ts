import { isForm, joinReadings, NOTHING_READ, type Reading, type SentRequest, type Upstream } from './reading.ts';

/** The ways in which programs pass a URL's query to `URLSearchParams`, and what it reads from a form. */
export function createSearchParams(): Upstream {
  return {
    name: 'URLSearchParams',
    read: async (request) => joinReadings(listTexts(request).map((text) => readPairs(new URLSearchParams(text)))),
    close: async () => undefined,
  };
}

/** `formData()` of Node (from undici): pairs of forms, and parts. */
export function createFormData(): Upstream {
  return {
    name: 'formData() of Node',
    async read({ method, target, type, body }) {
      if (type === undefined || method === 'GET' || method === 'HEAD') return NOTHING_READ;
      const headers = { 'content-type': type };
      try {
        return readPairs(await new Request(`http://a.example.com${target}`, { method, headers, body }).formData());
      } catch {
        return NOTHING_READ;
      }
    },
    close: async () => undefined,
  };
}

function listTexts(request: SentRequest): string[] {
  const { target, body } = request;
  const texts = isForm(request) ? [body.toString(), new TextDecoder().decode(body)] : [];
  if (!target.includes('?')) return texts;
  return [
    ...texts,
    new URL(target, 'http://a.example.com').search,
    target.slice(target.indexOf('?')),
    target.slice(target.indexOf('?') + 1),
    target.slice(target.lastIndexOf('?') + 1),
    target.split('?')[1] ?? '',
  ];
}

function readPairs(pairs: URLSearchParams | FormData): Reading {
  const textsOf = (name: string) => pairs.getAll(name).filter((value) => typeof value === 'string');
  return { documents: textsOf('query').map((text) => Buffer.from(text)), methods: textsOf('_method') };
}
