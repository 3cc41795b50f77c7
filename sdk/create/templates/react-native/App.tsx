import { useEffect, useState } from 'react';
import { ActivityIndicator, Button, SafeAreaView, StyleSheet, Text } from 'react-native';
import { type Session, signIn, signOut, storedSession } from './session';

export function App() {
  const [session, setSession] = useState<Session | null | undefined>(undefined);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    storedSession().then(setSession, () => setSession(null));
  }, []);
  const attempt = (action: () => Promise<Session | null>) => {
    setFault(null);
    action().then(setSession, (error: unknown) => setFault(error instanceof Error ? error.message : String(error)));
  };
  if (session === undefined) return <ActivityIndicator style={styles.page} />;
  const leave = async (of: Session) => {
    await signOut(of);
    return null;
  };
  return (
    <SafeAreaView style={styles.page}>
      {fault !== null && <Text accessibilityRole="alert">{fault}</Text>}
      {session ? (
        <>
          <Text>You are signed in as {session.person.email ?? session.person.sub}.</Text>
          <Button title="Sign out" onPress={() => attempt(() => leave(session))} />
        </>
      ) : (
        <Button title="Sign in" onPress={() => attempt(signIn)} />
      )}
    </SafeAreaView>
  );
}

const styles = StyleSheet.create({ page: { flex: 1, alignItems: 'center', justifyContent: 'center', gap: 16 } });
