import { editing } from './editing.tsx';
import { engines } from './engines.ts';
import { fields } from './fields.ts';
import { form } from './form.tsx';
import { keys } from './keys.tsx';
import { nodes } from './nodes.tsx';
import { pages } from './pages.tsx';
import { replay } from './replay.tsx';
import { structure } from './structure.tsx';
import { traffic } from './traffic.tsx';
import { trial } from './trial.tsx';

export const policies = {
  ...pages,
  editing,
  engines,
  fields,
  form,
  keys,
  nodes,
  replay,
  structure,
  traffic,
  trial,
};
