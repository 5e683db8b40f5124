import { controls } from './controls.tsx';
import { fields } from './fields.tsx';
import { model } from './model.ts';
import { pages } from './pages.tsx';
import { picker } from './picker.tsx';

export const forms = {
  ...pages,
  controls,
  fields,
  model,
  picker,
};
