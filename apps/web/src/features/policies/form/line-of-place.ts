import { nodeAt } from '../../../yaml/places.ts';
import { readText } from '../../../yaml/read-text.ts';
import { parsePlace } from './place.ts';

/** Returns the 1-based line of a part of the form in the text; undefined if the text does not have the part. */
export function lineOfPlace(text: string, place: string): number | undefined {
  const { isDefaults, domain, route } = parsePlace(place);
  const path = isDefaults
    ? ['spec', 'defaults']
    : domain === undefined
      ? undefined
      : ['spec', 'domains', domain, ...(route === undefined ? [] : ['routes', route])];
  const document = path && readText(text)?.document;
  const offset = document && nodeAt(document, path)?.range?.[0];
  return offset === undefined ? undefined : text.slice(0, offset).split('\n').length;
}
