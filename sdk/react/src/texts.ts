/** What the components say. */
export type Texts = {
  signIn: string;
  signOut: string;
  account: string;
  organization: string;
  /** The name of the menu. */
  menu: string;
  /** Beside the name of a person while Latchkey cannot be reached. */
  offline: string;
};

const LANGUAGES = ['en', 'de', 'es', 'fr', 'ja', 'zh', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

export const TEXTS: Record<Language, Texts> = {
  en: {
    signIn: 'Sign in',
    signOut: 'Sign out',
    account: 'Your account',
    organization: 'Organization',
    menu: 'Account menu',
    offline: 'Offline',
  },
  de: {
    signIn: 'Anmelden',
    signOut: 'Abmelden',
    account: 'Dein Konto',
    organization: 'Organisation',
    menu: 'Kontomenü',
    offline: 'Offline',
  },
  es: {
    signIn: 'Iniciar sesión',
    signOut: 'Cerrar sesión',
    account: 'Tu cuenta',
    organization: 'Organización',
    menu: 'Menú de la cuenta',
    offline: 'Sin conexión',
  },
  fr: {
    signIn: 'Se connecter',
    signOut: 'Se déconnecter',
    account: 'Votre compte',
    organization: 'Organisation',
    menu: 'Menu du compte',
    offline: 'Hors ligne',
  },
  ja: {
    signIn: 'サインイン',
    signOut: 'サインアウト',
    account: 'アカウント',
    organization: '組織',
    menu: 'アカウントメニュー',
    offline: 'オフライン',
  },
  zh: {
    signIn: '登录',
    signOut: '退出登录',
    account: '您的账户',
    organization: '组织',
    menu: '账户菜单',
    offline: '离线',
  },
  ar: {
    signIn: 'تسجيل الدخول',
    signOut: 'تسجيل الخروج',
    account: 'حسابك',
    organization: 'المؤسسة',
    menu: 'قائمة الحساب',
    offline: 'غير متصل',
  },
};

/** The direction that a language is written in. */
export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

/** The first language of the list that the components have, by its first part: `de-AT` is `de`. English otherwise. */
export function languageOf(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const found = LANGUAGES.find((language) => language === tag.toLowerCase().split('-')[0]);
    if (found) return found;
  }
  return 'en';
}
