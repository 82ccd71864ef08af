/**
 * Short texts written before the detector's last change, and not used for tuning: phrases from speech,
 * mails, programs, shops, hotels and travel. By language code, separated by bars; `=xx` after a text names
 * further languages that it belongs to.
 */

/** Phrases in languages that the default engines translate from. */
export const phrasesHeldOut: Readonly<Record<string, string>> = {
  ca:
    'seient de finestreta|dues hamburgueses|aigua amb gas|ganivet esmolat' +
    "|sabatilles de córrer|auriculars sense fil|temps d'espera esgotat|arrossega els fitxers" +
    "|adreça no vàlida|missatges sense llegir|una salutació cordial|quedo a l'espera" +
    "|encantat d'ajudar|vegeu la factura adjunta|estic bé|deixa'm en pau|estic marejada" +
    "|turmell trencat|gira a l'esquerra|equipatge perdut|sortida tardana|piscina coberta" +
    '|salmó a la planxa|llet sencera|llevat en pols|bescanviador de calor|previsió del temps' +
    "|persona matinera|far antic|el gos va bordar|no hi estan d'acord|petroli cru" +
    "|dia d'eleccions|atac de cor|raspalla't les dents|una talla més",
  en:
    'window seat|two cheeseburgers|still or sparkling|sharp knife|running shoes' +
    '|wireless headphones|connection timed out|drop files here|invalid email address' +
    '|unread messages|kind regards|looking forward|happy to help|see attached invoice' +
    "|I'm fine|leave it|feeling dizzy|broken ankle|turn left here|lost luggage|late check-out" +
    '|swimming pool|grilled salmon|whole milk|baking powder|heat exchanger|weather forecast' +
    '|early riser|old lighthouse|the dog barked|they disagree|crude oil|election day' +
    '|heart attack|brush your teeth|one size larger',
  es:
    'asiento de ventanilla|dos hamburguesas|agua con gas|cuchillo afilado' +
    '|zapatillas de correr|auriculares inalámbricos|tiempo de espera agotado' +
    '|arrastra los archivos|correo no válido|mensajes sin leer|un cordial saludo' +
    '|quedo a la espera|encantado de ayudar|ver factura adjunta|estoy bien|déjame en paz' +
    '|estoy mareada|tobillo roto|gire a la izquierda|equipaje perdido|salida tardía' +
    '|piscina cubierta|salmón a la plancha|leche entera|levadura en polvo' +
    '|intercambiador de calor|pronóstico del tiempo|persona madrugadora|faro antiguo' +
    '|el perro ladró|no están de acuerdo|petróleo crudo|día de elecciones|ataque al corazón' +
    '|cepíllate los dientes|una talla más',
  fr:
    'siège côté fenêtre|deux hamburgers|eau gazeuse|couteau bien aiguisé|chaussures de course' +
    "|casque sans fil|délai d'attente dépassé|déposez vos fichiers|adresse e-mail invalide" +
    "|messages non lus|bien cordialement|dans l'attente|ravi de vous aider" +
    "|voir facture jointe|je vais bien|laisse-moi tranquille|j'ai la tête qui tourne" +
    '|cheville cassée|tournez à gauche|bagages perdus|départ tardif|piscine couverte' +
    '|saumon grillé|lait entier|levure chimique|échangeur de chaleur|prévisions météo' +
    "|lève-tôt|vieux phare|le chien a aboyé|ils ne sont pas d'accord|pétrole brut" +
    '|jour des élections|crise cardiaque|brosse-toi les dents|une taille au-dessus',
  it:
    'posto vicino al finestrino|due hamburger|acqua frizzante|coltello affilato' +
    '|scarpe da corsa|cuffie senza fili|tempo di attesa scaduto|trascina qui i file' +
    '|indirizzo non valido|messaggi non letti|cordiali saluti|resto in attesa' +
    '|felice di aiutarti|vedi fattura allegata|sto bene|lasciami in pace|mi gira la testa' +
    '|caviglia rotta|giri a sinistra|bagaglio smarrito|partenza posticipata|piscina coperta' +
    '|salmone alla griglia|latte intero|lievito in polvere|scambiatore di calore' +
    "|previsioni del tempo|persona mattiniera|vecchio faro|il cane abbaiò|non sono d'accordo" +
    '|petrolio greggio|giorno delle elezioni|attacco di cuore|lavati i denti' +
    '|una taglia in più',
  pt:
    'lugar à janela|dois hambúrgueres|água com gás|faca afiada|tênis de corrida|fones sem fio' +
    '|tempo limite esgotado|arraste os arquivos|e-mail inválido|mensagens não lidas' +
    '|com os melhores cumprimentos|fico no aguardo|feliz em ajudar|ver fatura anexa|estou bem' +
    '|me deixa em paz|estou tonta|tornozelo quebrado|vire à esquerda|bagagem extraviada' +
    '|saída tardia|piscina coberta|salmão grelhado|leite integral|fermento em pó' +
    '|trocador de calor|previsão do tempo|pessoa madrugadora|farol antigo|o cachorro latiu' +
    '|eles discordam|petróleo bruto|dia da eleição|ataque cardíaco|escove os dentes' +
    '|um tamanho maior',
};

/** Single words in the same languages. */
export const wordsHeldOut: Readonly<Record<string, string>> = {
  ca:
    'bullidor|manta=es,pt|cruïlla|formatge|ensems|rentaplats|gola=it,pt|esquirol=es|tretze' +
    '|prou|rient=fr|xiuxiueig|ressaltar|teclat|tancar|suggeriment|retornat|hipoteca=es,pt' +
    '|advocat|carretó|grosella=es|alga=es,it,pt|sobralles|protector=en,es|teixir',
  en:
    'kettle|blanket|crossroads|cheese|furthermore|dishwasher|throat|squirrel|thirteen|enough' +
    '|laughing|whisper|highlight|keyboard|logout|tooltip|undelivered|mortgage|lawyer' +
    '|wheelbarrow|gooseberry|seaweed|leftovers|sunscreen|knitting',
  es:
    'hervidor|manta=pt|encrucijada=pt|queso|además|lavavajillas|garganta=pt|ardilla|trece' +
    '|bastante=pt|riéndose|susurro|resaltar=pt|teclado=pt|cerrar=gl|sugerencia|devuelto' +
    '|hipoteca=pt,ca|abogado|carretilla|grosella|alga=pt,it,ca|sobras=pt|protector=en,ca' +
    '|tejer',
  fr:
    'bouilloire|couverture|carrefour|fromage|davantage|lave-vaisselle|gorge=en|écureuil' +
    '|treize|assez|riant|chuchotement|surligner|clavier|déconnexion|infobulle|renvoyé' +
    '|hypothèque|avocat=ca|brouette|groseille|algue|restes=es,ca|crème|tricoter',
  it:
    'bollitore|coperta|incrocio|formaggio|inoltre|lavastoviglie|gola=ca,pt|scoiattolo|tredici' +
    '|abbastanza|ridendo|sussurro|evidenziare|tastiera|disconnettersi|suggerimento|restituito' +
    '|ipoteca|avvocato|carriola|ribes|alga=es,pt,ca|avanzi|crema=es,ca|lavorare',
  pt:
    'chaleira|cobertor|encruzilhada|queijo|contudo|lava-louças|garganta=es|esquilo|treze' +
    '|bastante=es|rindo|sussurro=it,es|destacar=es|teclado=es|sair|sugestão|devolvido' +
    '|hipoteca=es,ca|advogado|carrinho|groselha|alga=es,it,ca|sobras=es|protetor|tricotar',
};

/** Phrases in languages that the default engines do not translate from. */
export const othersHeldOut: Readonly<Record<string, string>> = {
  cs:
    'místo u okna|zimní bunda|soubor nenalezen|nepřečtené zprávy|v příloze|krátká otázka' +
    '|mám se dobře|nech mě|krevní tlak|odbočte vlevo|ztracené zavazadlo|výhled na moře' +
    '|jablečný koláč|výměník tepla|starý maják|zasmála se|pravopisná chyba|o číslo větší',
  da:
    'vinduesplads|vinterjakke|filen blev ikke fundet|ulæste beskeder|vedhæftet faktura' +
    '|et hurtigt spørgsmål|jeg har det fint|lad mig være|blodtryk|drej til venstre' +
    '|mistet bagage|havudsigt|æblekage|varmeveksler|gammelt fyrtårn|hun lo|stavefejl' +
    '|en størrelse større',
  de:
    'Fensterplatz bitte|Winterjacke|Datei nicht gefunden|ungelesene Nachrichten|im Anhang' +
    "|kurze Frage|mir geht's gut|lass mich|Blutdruck|links abbiegen|verlorenes Gepäck" +
    '|Meerblick|Apfelkuchen|Wärmetauscher|alter Leuchtturm|sie lachte|Rechtschreibfehler' +
    '|eine Größe größer',
  fi:
    'ikkunapaikka|talvitakki|tiedostoa ei löydy|lukemattomat viestit|liitteenä|nopea kysymys' +
    '|voin hyvin|jätä minut|verenpaine|käänny vasemmalle|kadonnut matkatavara|merinäköala' +
    '|omenapiirakka|lämmönvaihdin|vanha majakka|hän nauroi|kirjoitusvirhe|yhtä kokoa suurempi',
  gl:
    'asento de ventá|chaqueta de inverno|non se atopou o ficheiro|mensaxes sen ler' +
    '|achego a factura|unha pregunta rápida|estou ben|déixame en paz|presión arterial=es' +
    '|xira á esquerda|equipaxe perdida|vistas ao mar|torta de mazá|intercambiador de calor=es' +
    '|faro antigo|ela riu|erro de ortografía|unha talla máis',
  hr:
    'mjesto do prozora|zimska jakna|datoteka nije pronađena|nepročitane poruke|u prilogu' +
    '|kratko pitanje|dobro sam|pusti me|krvni tlak|skrenite lijevo|izgubljena prtljaga' +
    '|pogled na more|pita od jabuka|izmjenjivač topline|stari svjetionik|nasmijala se' +
    '|pravopisna pogreška|broj veći',
  hu:
    'ablak melletti hely|téli kabát|a fájl nem található|olvasatlan üzenetek|csatolva küldöm' +
    '|egy gyors kérdés|jól vagyok|hagyj békén|vérnyomás|forduljon balra|elveszett poggyász' +
    '|kilátás a tengerre|almás pite|hőcserélő|régi világítótorony|nevetett|helyesírási hiba' +
    '|egy számmal nagyobb',
  id:
    'kursi dekat jendela|jaket musim dingin|berkas tidak ditemukan|pesan belum dibaca' +
    '|terlampir faktur|pertanyaan singkat|saya baik-baik saja|tinggalkan aku|tekanan darah' +
    '|belok kiri|bagasi hilang|pemandangan laut|pai apel|penukar panas|mercusuar tua' +
    '|dia tertawa|salah eja|satu ukuran lebih besar',
  nb:
    'vindusplass|vinterjakke|filen ble ikke funnet|uleste meldinger|se vedlegg' +
    '|et raskt spørsmål|jeg har det bra|la meg være|blodtrykk|sving til venstre' +
    '|mistet bagasje|havutsikt|eplekake|varmeveksler|gammelt fyr|hun lo|skrivefeil' +
    '|en størrelse større',
  nl:
    'plaats bij het raam|winterjas|bestand niet gevonden|ongelezen berichten|in de bijlage' +
    '|korte vraag|het gaat goed|laat me|bloeddruk|linksaf slaan|verloren bagage' +
    '|uitzicht op zee|appeltaart|warmtewisselaar|oude vuurtoren|ze lachte|spelfout' +
    '|een maat groter',
  pl:
    'miejsce przy oknie|kurtka zimowa|nie znaleziono pliku|nieprzeczytane wiadomości' +
    '|w załączniku|krótkie pytanie|wszystko dobrze|zostaw mnie|ciśnienie krwi|skręć w lewo' +
    '|zgubiony bagaż|widok na morze|szarlotka|wymiennik ciepła|stara latarnia|ona się śmiała' +
    '|błąd ortograficzny|rozmiar większy',
  ro:
    'loc la geam|geacă de iarnă|fișierul nu există|mesaje necitite|în atașament' +
    '|o întrebare scurtă|sunt bine|lasă-mă|tensiune arterială|la stânga|bagaj pierdut' +
    '|vedere la mare|plăcintă cu mere|schimbător de căldură|far vechi|ea a râs' +
    '|greșeală de ortografie|o mărime mai mare',
  sv:
    'fönsterplats|vinterjacka|filen hittades inte|olästa meddelanden|se bilagan' +
    '|en snabb fråga|jag mår bra|lämna mig|blodtryck|sväng vänster|borttappat bagage' +
    '|havsutsikt|äppelpaj|värmeväxlare|gammal fyr|hon skrattade|stavfel|en storlek större',
  tr:
    'pencere kenarı|kışlık mont|dosya bulunamadı|okunmamış mesajlar|ekte bulabilirsiniz' +
    '|kısa bir soru|ben iyiyim|beni bırak|kan basıncı|sola dön|kayıp bagaj|deniz manzarası' +
    '|elmalı turta|ısı eşanjörü|eski fener|o güldü|yazım hatası|bir beden büyük',
};

export interface HeldOut {
  text: string;
  /** Languages that the text may be in. */
  languages: readonly string[];
}

/** Lists the texts one by one. */
export function heldOut(texts: Readonly<Record<string, string>>): HeldOut[] {
  return Object.entries(texts).flatMap(([language, list]) =>
    list.split('|').map((each) => {
      const [text = '', others] = each.split('=');
      return { text, languages: [language, ...(others?.split(',') ?? [])] };
    }),
  );
}
