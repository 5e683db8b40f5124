import { condition } from './condition.ts';
import { configuration } from './configuration.tsx';
import { document } from './document.tsx';
import { editing } from './editing.tsx';
import { errors } from './errors.tsx';
import { graph } from './graph.ts';
import { logs } from './logs.ts';
import { nodes } from './nodes.tsx';
import { operations } from './operations.tsx';
import { overview } from './overview.tsx';
import { pages } from './pages.tsx';

export const services = {
  ...pages,
  condition,
  configuration,
  document,
  editing,
  errors,
  graph,
  logs,
  nodes,
  operations,
  overview,
};
