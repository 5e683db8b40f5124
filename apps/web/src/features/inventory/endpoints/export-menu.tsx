import { Button, Menu } from '@mantine/core';
import { routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { formatSearch } from '../../../app/url-state.ts';
import { texts } from './texts.ts';

const text = texts.export;

const FORMATS = [
  { format: 'yaml', label: text.yaml },
  { format: 'json', label: text.json },
] as const;

/** Filters of the list that the document takes, too. */
const TAKEN = ['host', 'normalized_path', 'listener_name', 'min_seen'] as const;

/** Exports the confirmed operations as an OpenAPI document. */
export function ExportMenu({ query }: { query: Readonly<Record<string, unknown>> }) {
  const project = useProject();
  const can = useCan();
  if (!can(routes.inventory.openapi)) return null;
  const filters = Object.fromEntries(TAKEN.map((name) => [name, query[name]]));
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" title={text.hint}>
          {text.button}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map(({ format, label }) => (
          <Menu.Item
            key={format}
            component="a"
            href={`${routes.inventory.openapi.path}${formatSearch({ project: project.id, format, ...filters })}`}
            download
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
