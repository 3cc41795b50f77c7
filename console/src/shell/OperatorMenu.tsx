import { Menu, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { anywhere } from '#api/client.ts';
import { signInAddress, useSession } from '#api/session.ts';
import { BookIcon, MembersIcon, MoonIcon, SelectorIcon, SignOutIcon, SunIcon } from '#ui/icons.ts';
import classes from './shell.module.css';

/** The signed-in operator, the theme, and sign-out. */
export function OperatorMenu() {
  const { operator, addresses } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const name = operator.displayName ?? operator.email ?? 'Operator';
  const signOut = async () => {
    await anywhere.POST('/console/v1/session/sign-out', { params: {} });
    window.location.assign(signInAddress('/console/'));
  };
  return (
    <Menu position="top-start" width={240} shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes.operator}>
          <span className={classes.switcherNames}>
            <span>{name}</span>
            {operator.displayName && <span className={classes.switcherWorkspace}>{operator.email}</span>}
          </span>
          <VisuallyHidden>Account and theme</VisuallyHidden>
          <SelectorIcon size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Theme</Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={colorScheme === scheme}
            leftSection={scheme === 'dark' ? <MoonIcon size={14} /> : <SunIcon size={14} />}
            rightSection={colorScheme === scheme ? '✓' : null}
            onClick={() => setColorScheme(scheme)}
          >
            {scheme === 'auto' ? 'System' : scheme === 'light' ? 'Light' : 'Dark'}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {addresses.production.auth && (
          <Menu.Item
            component="a"
            href={`${addresses.production.auth}/account`}
            target="_blank"
            leftSection={<MembersIcon size={14} />}
          >
            Your account
          </Menu.Item>
        )}
        <Menu.Item component="a" href="/docs/" target="_blank" leftSection={<BookIcon size={14} />}>
          Documentation
        </Menu.Item>
        <Menu.Item leftSection={<SignOutIcon size={14} />} onClick={() => signOut().catch(() => undefined)}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
