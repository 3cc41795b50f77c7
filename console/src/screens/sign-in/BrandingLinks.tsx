import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { RemoveIcon } from '#ui/icons.ts';

type Links = Record<string, string>;
const MAX_LINKS = 5;

/** The footer links of the pages, such as terms and privacy. */
export function BrandingLinks({ links, onChange }: { links: Links; onChange: (links: Links) => void }) {
  const rows = Object.entries(links);
  const replace = (at: number, row: readonly [string, string]) =>
    onChange(Object.fromEntries(rows.map((known, index) => (index === at ? row : known))));
  return (
    <Input.Wrapper label="Links" description="Up to five, such as terms, privacy and help.">
      <Stack gap="xs" mt={6}>
        {rows.map(([label, address], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the label is what is typed, so only the place stays the same
          <Group key={index} gap="xs" wrap="nowrap">
            <TextInput
              aria-label={`Label of link ${index + 1}`}
              w="38%"
              maxLength={40}
              value={label}
              onChange={({ currentTarget: { value } }) => replace(index, [value, address])}
            />
            <TextInput
              aria-label={`Address of link ${index + 1}`}
              flex={1}
              type="url"
              placeholder="https://"
              value={address}
              onChange={({ currentTarget: { value } }) => replace(index, [label, value])}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove ${label}`}
              onClick={() => onChange(Object.fromEntries(rows.filter((_, at) => at !== index)))}
            >
              <RemoveIcon size={16} />
            </ActionIcon>
          </Group>
        ))}
        {rows.length < MAX_LINKS && (
          <Button
            variant="default"
            w="fit-content"
            size="compact-sm"
            onClick={() => onChange({ ...links, [`Link ${rows.length + 1}`]: 'https://' })}
          >
            Add link
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
