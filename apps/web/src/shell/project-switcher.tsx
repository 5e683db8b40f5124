import { Button, Combobox, ScrollArea, useCombobox } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useProjectIfAny, useUser } from '../app/project.tsx';
import classes from './frame.module.css';
import { texts } from './texts.tsx';

const text = texts.projectSwitcher;

export function ProjectSwitcher() {
  const { memberships } = useUser();
  const project = useProjectIfAny();
  const navigate = useNavigate();
  const [search, setSearch] = useState('');
  const combobox = useCombobox({
    onDropdownClose: () => setSearch(''),
    onDropdownOpen: () => combobox.focusSearchInput(),
  });
  const wanted = search.trim().toLowerCase();
  const found = memberships.filter(({ project_name }) => project_name.toLowerCase().includes(wanted));
  return (
    <Combobox
      store={combobox}
      width={260}
      position="bottom-start"
      onOptionSubmit={(name) => {
        combobox.closeDropdown();
        void navigate({ to: '/p/$project/overview', params: { project: name } });
      }}
    >
      <Combobox.Target withAriaAttributes={false}>
        <Button
          className={classes.project}
          variant="default"
          size="sm"
          justify="space-between"
          rightSection={<IconSelector size={14} />}
          aria-label={project ? text.chooseAnother(project.name) : text.noneChooseAnother}
          onClick={() => combobox.toggleDropdown()}
        >
          <bdi>{project?.name ?? text.none}</bdi>
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          placeholder={text.findProject}
          aria-label={text.findProject}
        />
        <Combobox.Options aria-label={text.projects} className={classes.projects}>
          <ScrollArea.Autosize mah={320} type="auto">
            {found.length === 0 && <Combobox.Empty>{text.notFound}</Combobox.Empty>}
            {found.slice(0, 200).map(({ project: id, project_name, role }) => (
              <Combobox.Option key={id} value={project_name} active={id === project?.id}>
                <bdi>{project_name}</bdi> <span style={{ color: 'var(--mantine-color-dimmed)' }}>{role}</span>
              </Combobox.Option>
            ))}
          </ScrollArea.Autosize>
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
