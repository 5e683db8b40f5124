import { ActionIcon, Button, Group, Menu, Modal, Stack, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconTrash } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useProject, useUser } from '../../../app/project.tsx';
import type { UrlSearch } from '../../../app/url-state.ts';
import { sayDone } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { keepTimes } from '../time-window.ts';
import { addView, readViews, type SavedView, toView, VIEW_NAME_MAX, VIEWS_MAX } from './saved-views.ts';
import { texts as text } from './texts.ts';

interface ViewsMenuProps {
  /** Part of the name under which the browser stores them. */
  readonly list: 'endpoint' | 'event' | 'finding';
  readonly suggestions: readonly SavedView[];
}

/** Named sets of filters of a list: suggested ones, and those that the user has saved in this browser. */
export function ViewsMenu({ list, suggestions }: ViewsMenuProps) {
  const [isSaving, setSaving] = useState(false);
  const { views, change } = useViews(list);
  const navigate = useNavigate();
  // A view is opened in the time range that the page shows.
  const open = ({ search }: SavedView) =>
    void navigate({ to: '.', search: (before: UrlSearch) => ({ ...keepTimes(before), ...search }) });
  return (
    <>
      <Menu position="bottom-end" width={280}>
        <Menu.Target>
          <Button variant="default">{text.button}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{text.offered}</Menu.Label>
          {suggestions.map((view) => (
            <Menu.Item key={view.name} onClick={() => open(view)}>
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Label>{text.own}</Menu.Label>
          {views.length === 0 && <Menu.Item disabled>{text.none}</Menu.Item>}
          {views.map((view) => (
            <Menu.Item key={view.name} onClick={() => open(view)}>
              <bdi className={layout.note}>{view.name}</bdi>
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => setSaving(true)}>{text.save}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isSaving} onClose={() => setSaving(false)} title={text.saveTitle}>
        <SaveForm views={views} onChange={change} onClose={() => setSaving(false)} />
      </Modal>
    </>
  );
}

/** The views of the user in this project and browser. */
function useViews(list: ViewsMenuProps['list']) {
  const project = useProject();
  const user = useUser();
  const [stored, setStored] = useLocalStorage<unknown>({
    key: `flotilla-${list}-views ${user.id} ${project.id}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  return { views: readViews(stored), change: (views: readonly SavedView[]) => setStored(views) };
}

interface SaveFormProps {
  readonly views: readonly SavedView[];
  readonly onChange: (views: readonly SavedView[]) => void;
  readonly onClose: () => void;
}

function SaveForm({ views, onChange, onClose }: SaveFormProps) {
  const search = useSearch({ strict: false }) as UrlSearch;
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const isKnown = views.some((view) => view.name === name);
  const isFull = views.length >= VIEWS_MAX && !isKnown;
  const save = (event: FormEvent) => {
    event.preventDefault();
    onChange(addView(views, toView(name, search)));
    sayDone(text.saved(name));
    onClose();
  };
  return (
    <Stack component="form" gap="md" onSubmit={save}>
      <TextInput
        label={text.name}
        description={isKnown ? text.nameTaken : text.nameHint}
        error={isFull ? text.tooMany(VIEWS_MAX) : undefined}
        value={typed}
        maxLength={VIEW_NAME_MAX}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
      />
      {views.length > 0 && (
        <ul className={layout.names}>
          {views.map((view) => (
            <li key={view.name}>
              <Group gap="xs" wrap="nowrap">
                <bdi>{view.name}</bdi>
                <ActionIcon
                  size="sm"
                  aria-label={text.remove(view.name)}
                  onClick={() => onChange(views.filter((one) => one.name !== view.name))}
                >
                  <IconTrash size={14} />
                </ActionIcon>
              </Group>
            </li>
          ))}
        </ul>
      )}
      <Group justify="flex-end">
        <Button type="submit" disabled={name === '' || isFull}>
          {text.saveAction}
        </Button>
      </Group>
    </Stack>
  );
}
