import { Badge, VisuallyHidden } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { texts } from './texts.ts';

/** The number of alerts that fire in the open project, beside the link to them; nothing if there are none. */
export function FiringCount() {
  const project = useProject();
  const { data } = useApi(routes.alert.summary, { query: { project: project.id } }, { topics: ['alert'] });
  const firing = data?.body.firing ?? 0;
  if (firing === 0) return null;
  return (
    <Badge component="span" size="xs" ml="auto" color="red.9">
      <span aria-hidden="true">{firing.toLocaleString('en')}</span>
      <VisuallyHidden>{texts.navigation(firing)}</VisuallyHidden>
    </Badge>
  );
}
