/** Wording of the viewer page, apart from captions, in the readers' languages. */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';

export interface ViewerWords {
  language: string;
  /** Name of the untranslated track. */
  original: string;
  /** Short states, shown beside the name of the room. */
  live: string;
  waiting: string;
  paused: string;
  connecting: string;
  offline: string;
  closed: string;
  listen: string;
  stopListening: string;
  listenFailed: string;
  listenBlocked: string;
  settings: string;
  close: string;
  textSize: string;
  smaller: string;
  larger: string;
  appearance: string;
  automatic: string;
  light: string;
  dark: string;
  strong: string;
  pace: string;
  instant: string;
  instantHint: string;
  settled: string;
  settledHint: string;
  keepAwake: string;
  awake: { on: string; off: string; refused: string; unsupported: string };
  install: string;
  passcode: string;
  enter: string;
  wrongPasscode: string;
  tooOften: string;
  unreachable: string;
}

const en: ViewerWords = {
  language: 'Language',
  original: 'As spoken',
  live: 'Live',
  waiting: 'Waiting',
  paused: 'Paused',
  connecting: 'Connecting',
  offline: 'No connection',
  closed: 'Closed',
  listen: 'Listen',
  stopListening: 'Stop listening',
  listenFailed: 'The voice cannot be heard here. Captions go on.',
  listenBlocked: 'The browser did not play the voice. Tap Listen once more.',
  settings: 'Text and display',
  close: 'Done',
  textSize: 'Text size',
  smaller: 'Smaller text',
  larger: 'Larger text',
  appearance: 'Appearance',
  automatic: 'Automatic',
  light: 'Light',
  dark: 'Dark',
  strong: 'High contrast',
  pace: 'Words appear',
  instant: 'At once',
  instantHint: 'As they are said; the last ones may still change.',
  settled: 'When they are final',
  settledHint: 'A little later, and nothing changes any more.',
  keepAwake: 'Keep the screen on',
  awake: {
    on: 'The screen stays on while this page is in view.',
    off: 'The screen goes off as usual.',
    refused: 'The device does not allow it now, perhaps to save its battery.',
    unsupported: 'This browser cannot do it here.',
  },
  install: 'Add to home screen',
  passcode: 'Passcode',
  enter: 'Enter',
  wrongPasscode: 'This passcode is not right.',
  tooOften: 'Too many attempts. Please wait a moment.',
  unreachable: 'The room cannot be reached. Please try again.',
};

const ar: ViewerWords = {
  language: 'اللغة',
  original: 'كما يُقال',
  live: 'مباشر',
  waiting: 'في الانتظار',
  paused: 'متوقف',
  connecting: 'جارٍ الاتصال',
  offline: 'لا اتصال',
  closed: 'مغلق',
  listen: 'استمع',
  stopListening: 'إيقاف الاستماع',
  listenFailed: 'لا يمكن تشغيل الصوت هنا. يستمر النص.',
  listenBlocked: 'لم يشغّل المتصفح الصوت. اضغط «استمع» مرة أخرى.',
  settings: 'النص والعرض',
  close: 'تم',
  textSize: 'حجم النص',
  smaller: 'نص أصغر',
  larger: 'نص أكبر',
  appearance: 'المظهر',
  automatic: 'تلقائي',
  light: 'فاتح',
  dark: 'داكن',
  strong: 'تباين عالٍ',
  pace: 'ظهور الكلمات',
  instant: 'فورًا',
  instantHint: 'كما تُقال، وقد تتغير الأخيرة منها.',
  settled: 'عند اكتمالها',
  settledHint: 'بعد قليل، ولا يتغير شيء بعدها.',
  keepAwake: 'إبقاء الشاشة مضاءة',
  awake: {
    on: 'تبقى الشاشة مضاءة ما دامت هذه الصفحة ظاهرة.',
    off: 'تنطفئ الشاشة كالمعتاد.',
    refused: 'لا يسمح الجهاز بذلك الآن، ربما لتوفير البطارية.',
    unsupported: 'لا يستطيع هذا المتصفح ذلك هنا.',
  },
  install: 'إضافة إلى الشاشة الرئيسية',
  passcode: 'رمز الدخول',
  enter: 'دخول',
  wrongPasscode: 'رمز الدخول غير صحيح.',
  tooOften: 'محاولات كثيرة. انتظر لحظة من فضلك.',
  unreachable: 'لا يمكن الوصول إلى القاعة. حاول مرة أخرى.',
};

const de: ViewerWords = {
  language: 'Sprache',
  original: 'Wie gesprochen',
  live: 'Live',
  waiting: 'Wartet',
  paused: 'Pause',
  connecting: 'Verbindet',
  offline: 'Keine Verbindung',
  closed: 'Geschlossen',
  listen: 'Anhören',
  stopListening: 'Nicht mehr anhören',
  listenFailed: 'Die Stimme ist hier nicht zu hören. Der Text geht weiter.',
  listenBlocked:
    'Der Browser hat die Stimme nicht abgespielt. Bitte noch einmal auf „Anhören“ tippen.',
  settings: 'Text und Anzeige',
  close: 'Fertig',
  textSize: 'Schriftgröße',
  smaller: 'Kleinere Schrift',
  larger: 'Größere Schrift',
  appearance: 'Aussehen',
  automatic: 'Automatisch',
  light: 'Hell',
  dark: 'Dunkel',
  strong: 'Hoher Kontrast',
  pace: 'Wörter erscheinen',
  instant: 'Sofort',
  instantHint: 'Während sie gesprochen werden; die letzten können sich noch ändern.',
  settled: 'Wenn sie feststehen',
  settledHint: 'Etwas später, dafür ändert sich nichts mehr.',
  keepAwake: 'Bildschirm anlassen',
  awake: {
    on: 'Der Bildschirm bleibt an, solange diese Seite zu sehen ist.',
    off: 'Der Bildschirm geht aus wie sonst.',
    refused: 'Das Gerät erlaubt es gerade nicht, vielleicht um Strom zu sparen.',
    unsupported: 'Dieser Browser kann das hier nicht.',
  },
  install: 'Zum Startbildschirm',
  passcode: 'Zugangscode',
  enter: 'Eintreten',
  wrongPasscode: 'Dieser Zugangscode stimmt nicht.',
  tooOften: 'Zu viele Versuche. Bitte einen Moment warten.',
  unreachable: 'Der Raum ist nicht zu erreichen. Bitte noch einmal versuchen.',
};

const es: ViewerWords = {
  language: 'Idioma',
  original: 'Como se habla',
  live: 'En directo',
  waiting: 'En espera',
  paused: 'En pausa',
  connecting: 'Conectando',
  offline: 'Sin conexión',
  closed: 'Cerrada',
  listen: 'Escuchar',
  stopListening: 'Dejar de escuchar',
  listenFailed: 'La voz no se puede oír aquí. Los subtítulos siguen.',
  listenBlocked: 'El navegador no ha reproducido la voz. Toca «Escuchar» otra vez.',
  settings: 'Texto y pantalla',
  close: 'Listo',
  textSize: 'Tamaño del texto',
  smaller: 'Texto más pequeño',
  larger: 'Texto más grande',
  appearance: 'Apariencia',
  automatic: 'Automática',
  light: 'Clara',
  dark: 'Oscura',
  strong: 'Alto contraste',
  pace: 'Las palabras aparecen',
  instant: 'Al instante',
  instantHint: 'Según se dicen; las últimas aún pueden cambiar.',
  settled: 'Cuando son definitivas',
  settledHint: 'Un poco después, y ya nada cambia.',
  keepAwake: 'Mantener la pantalla encendida',
  awake: {
    on: 'La pantalla sigue encendida mientras se vea esta página.',
    off: 'La pantalla se apaga como siempre.',
    refused: 'El dispositivo no lo permite ahora, quizá para ahorrar batería.',
    unsupported: 'Este navegador no puede hacerlo aquí.',
  },
  install: 'Añadir a la pantalla de inicio',
  passcode: 'Código',
  enter: 'Entrar',
  wrongPasscode: 'Este código no es correcto.',
  tooOften: 'Demasiados intentos. Espera un momento.',
  unreachable: 'No se puede llegar a la sala. Inténtalo de nuevo.',
};

const fr: ViewerWords = {
  language: 'Langue',
  original: 'Version originale',
  live: 'En direct',
  waiting: 'En attente',
  paused: 'En pause',
  connecting: 'Connexion',
  offline: 'Pas de connexion',
  closed: 'Fermée',
  listen: 'Écouter',
  stopListening: 'Ne plus écouter',
  listenFailed: 'La voix ne peut pas être entendue ici. Les sous-titres continuent.',
  listenBlocked: 'Le navigateur n’a pas lu la voix. Touchez « Écouter » encore une fois.',
  settings: 'Texte et affichage',
  close: 'Terminé',
  textSize: 'Taille du texte',
  smaller: 'Texte plus petit',
  larger: 'Texte plus grand',
  appearance: 'Apparence',
  automatic: 'Automatique',
  light: 'Claire',
  dark: 'Sombre',
  strong: 'Contraste élevé',
  pace: 'Les mots apparaissent',
  instant: 'Aussitôt',
  instantHint: 'À mesure qu’ils sont dits ; les derniers peuvent encore changer.',
  settled: 'Une fois définitifs',
  settledHint: 'Un peu plus tard, et plus rien ne change.',
  keepAwake: 'Garder l’écran allumé',
  awake: {
    on: 'L’écran reste allumé tant que cette page est visible.',
    off: 'L’écran s’éteint comme d’habitude.',
    refused: 'L’appareil ne le permet pas pour l’instant, peut-être pour économiser sa batterie.',
    unsupported: 'Ce navigateur ne le peut pas ici.',
  },
  install: 'Ajouter à l’écran d’accueil',
  passcode: 'Code',
  enter: 'Entrer',
  wrongPasscode: 'Ce code n’est pas le bon.',
  tooOften: 'Trop d’essais. Patientez un instant.',
  unreachable: 'La salle est injoignable. Réessayez.',
};

const it: ViewerWords = {
  language: 'Lingua',
  original: 'Come si parla',
  live: 'In diretta',
  waiting: 'In attesa',
  paused: 'In pausa',
  connecting: 'Connessione',
  offline: 'Nessuna connessione',
  closed: 'Chiusa',
  listen: 'Ascolta',
  stopListening: 'Smetti di ascoltare',
  listenFailed: 'La voce non si può sentire qui. I sottotitoli continuano.',
  listenBlocked: 'Il browser non ha riprodotto la voce. Tocca «Ascolta» ancora una volta.',
  settings: 'Testo e schermo',
  close: 'Fine',
  textSize: 'Dimensione del testo',
  smaller: 'Testo più piccolo',
  larger: 'Testo più grande',
  appearance: 'Aspetto',
  automatic: 'Automatico',
  light: 'Chiaro',
  dark: 'Scuro',
  strong: 'Contrasto elevato',
  pace: 'Le parole appaiono',
  instant: 'Subito',
  instantHint: 'Mentre vengono dette; le ultime possono ancora cambiare.',
  settled: 'Quando sono definitive',
  settledHint: 'Un po’ più tardi, e nulla cambia più.',
  keepAwake: 'Tieni acceso lo schermo',
  awake: {
    on: 'Lo schermo resta acceso finché questa pagina è visibile.',
    off: 'Lo schermo si spegne come al solito.',
    refused: 'Il dispositivo ora non lo permette, forse per risparmiare batteria.',
    unsupported: 'Questo browser non può farlo qui.',
  },
  install: 'Aggiungi alla schermata Home',
  passcode: 'Codice',
  enter: 'Entra',
  wrongPasscode: 'Questo codice non è giusto.',
  tooOften: 'Troppi tentativi. Attendi un momento.',
  unreachable: 'La sala non è raggiungibile. Riprova.',
};

const pt: ViewerWords = {
  language: 'Idioma',
  original: 'Como se fala',
  live: 'Ao vivo',
  waiting: 'À espera',
  paused: 'Em pausa',
  connecting: 'A ligar',
  offline: 'Sem ligação',
  closed: 'Fechada',
  listen: 'Ouvir',
  stopListening: 'Parar de ouvir',
  listenFailed: 'A voz não se pode ouvir aqui. As legendas continuam.',
  listenBlocked: 'O navegador não reproduziu a voz. Toque em «Ouvir» outra vez.',
  settings: 'Texto e ecrã',
  close: 'Concluído',
  textSize: 'Tamanho do texto',
  smaller: 'Texto menor',
  larger: 'Texto maior',
  appearance: 'Aparência',
  automatic: 'Automática',
  light: 'Clara',
  dark: 'Escura',
  strong: 'Alto contraste',
  pace: 'As palavras aparecem',
  instant: 'Logo',
  instantHint: 'À medida que são ditas; as últimas ainda podem mudar.',
  settled: 'Quando são definitivas',
  settledHint: 'Um pouco depois, e já nada muda.',
  keepAwake: 'Manter o ecrã ligado',
  awake: {
    on: 'O ecrã fica ligado enquanto esta página estiver visível.',
    off: 'O ecrã desliga-se como de costume.',
    refused: 'O dispositivo não o permite agora, talvez para poupar bateria.',
    unsupported: 'Este navegador não o consegue fazer aqui.',
  },
  install: 'Adicionar ao ecrã inicial',
  passcode: 'Código',
  enter: 'Entrar',
  wrongPasscode: 'Este código não está certo.',
  tooOften: 'Demasiadas tentativas. Aguarde um momento.',
  unreachable: 'Não se consegue chegar à sala. Tente de novo.',
};

const translations: Record<LanguageTag, ViewerWords> = { en, ar, de, es, fr, it, pt };

/** Languages the page itself is available in. */
export const viewerLanguages = Object.keys(translations);

export function viewerWords(language: LanguageTag): ViewerWords {
  return translations[baseLanguage(language)] ?? en;
}
