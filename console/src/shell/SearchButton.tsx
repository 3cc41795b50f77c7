import { Kbd, UnstyledButton } from '@mantine/core';
import { useOs } from '@mantine/hooks';
import { SearchIcon } from '#ui/icons.ts';
import classes from './shell.module.css';

export function SearchButton({ onClick }: { onClick: () => void }) {
  const os = useOs();
  return (
    <UnstyledButton className={classes.search} onClick={onClick}>
      <SearchIcon size={14} aria-hidden />
      <span>Search or jump to…</span>
      <Kbd size="xs">{os === 'macos' ? '⌘' : 'Ctrl'} K</Kbd>
    </UnstyledButton>
  );
}
