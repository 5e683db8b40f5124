import type { ProjectStarters } from '@flotilla/contract';
import { Box, Checkbox, SimpleGrid, Stack, Text } from '@mantine/core';
import { texts } from './texts.tsx';

const text = texts.newProjectDrawer.starters;

interface StarterVersionsProps {
  readonly offered: ProjectStarters;
  readonly value: readonly string[];
  readonly onChange: (versions: readonly string[]) => void;
}

/** Selects the proxy versions for which a new project gets starter documents, and lists them. */
export function StarterVersions({ offered, value, onChange }: StarterVersionsProps) {
  return (
    <div>
      <Checkbox.Group label={text.label} description={text.hint} value={[...value]} onChange={onChange}>
        <SimpleGrid cols={{ base: 3, xs: 4 }} spacing="xs" mt="xs">
          {offered.versions.map((version) => (
            <Checkbox key={version} size="xs" value={version} label={version} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <Box component="details" mt="sm">
        <summary>{text.documents(offered.documents.length)}</summary>
        <Stack component="dl" gap="xs" mt="xs" mb={0}>
          {offered.documents.map(({ collection, name, description }) => (
            <div key={`${collection}/${name}`}>
              <dt className="mono">
                {collection}/{name}
              </dt>
              <Text component="dd" m={0} c="dimmed">
                {description}
              </Text>
            </div>
          ))}
        </Stack>
      </Box>
    </div>
  );
}
