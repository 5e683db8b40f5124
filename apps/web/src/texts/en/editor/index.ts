import { codemirror } from './codemirror.ts';
import { components } from './components.tsx';
import { document } from './document.ts';
import { merge } from './merge.ts';
import { policy } from './policy.ts';
import { schema } from './schema.ts';
import { suggest } from './suggest.ts';

export const editor = {
  codemirror,
  components,
  document,
  merge,
  policy,
  schema,
  suggest,
};
