import { ActionIcon, Button, Group, Menu, Modal, Stack, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconTrash } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useProject, useUser } from '../../../app/project.tsx';
import type { UrlSearch } from '../../../app/url-state.ts';
import { sayDone } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { addView, readViews, type SavedView, toView, VIEW_NAME_MAX, VIEWS_MAX } from './saved-views.ts';
import { texts } from './texts.ts';

const text = texts.views;

const SUGGESTIONS: readonly SavedView[] = [
  { name: text.suggestions.failing, search: { sort: '-error_rate' } },
  { name: text.suggestions.risky, search: { sort: '-active_risk_score', min_active_risk_score: '10' } },
  { name: text.suggestions.anonymous, search: { auth_posture: ['anonymous', 'inconsistent', 'mixed'] } },
  {
    name: text.suggestions.sensitive,
    search: { pii_category: ['email', 'phone', 'ssn', 'credit_card', 'iban', 'jwt_in_path', 'secret_in_path'] },
  },
  { name: text.suggestions.admin, search: { endpoint_category: ['admin_endpoint', 'data_export'] } },
];

/** Named sets of filters: suggested ones, and those that the user has saved in this browser. */
export function ViewsMenu() {
  const [isSaving, setSaving] = useState(false);
  const { views, change } = useViews();
  const navigate = useNavigate();
  const open = ({ search }: SavedView) => void navigate({ to: '.', search });
  return (
    <>
      <Menu position="bottom-end" width={280}>
        <Menu.Target>
          <Button variant="default">{text.button}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{text.offered}</Menu.Label>
          {SUGGESTIONS.map((view) => (
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
function useViews() {
  const project = useProject();
  const user = useUser();
  const [stored, setStored] = useLocalStorage<unknown>({
    key: `flotilla-endpoint-views ${user.id} ${project.id}`,
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
