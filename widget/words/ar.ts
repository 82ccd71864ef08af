/** The words of pages of rooms in Arabic. */
import type { RoomWords } from '../room-words.ts';

export const roomWords: RoomWords = {
  region: 'ترجمة نصية مباشرة',
  announcements: 'الترجمة جملة بجملة',
  jump: 'إلى الآن',
  byPerson: 'كتبه أو صححه شخص',
  states: {
    idle: { title: '', hint: '' },
    connecting: { title: 'جارٍ الاتصال…', hint: '' },
    waiting: { title: 'لا أحد يتحدث بعد', hint: 'يظهر النص هنا حالما يتحدث أحد.' },
    live: { title: 'جارٍ الاستماع', hint: 'الكلمات الأولى في الطريق.' },
    paused: { title: 'متوقف مؤقتًا', hint: 'يستمر النص عندما يستمر المتحدث.' },
    reconnecting: { title: 'جارٍ إعادة الاتصال…', hint: 'لن يضيع شيء.' },
    offline: { title: 'لا يوجد اتصال', hint: 'يستمر النص تلقائيًا عند عودة الاتصال.' },
    full: { title: 'القاعة ممتلئة', hint: 'تُعاد المحاولة تلقائيًا.' },
    locked: { title: 'هذه القاعة لها رمز دخول', hint: 'اسأل المنظمين عنه.' },
    refused: { title: 'لم يعد هذا الرابط صالحًا', hint: 'اطلب رابطًا جديدًا من المنظمين.' },
    gone: { title: 'لا توجد قاعة كهذه', hint: 'أُغلقت، أو العنوان غير كامل.' },
  },
};
