/**
 * Everyday phrases of one to three words, and phrases of programs and shops, written for these tests. The
 * detector was tuned on every other phrase of each language, beginning with the first; it has not seen the
 * others. A few phrases are the same in several languages and therefore undecidable.
 */

/** By language code, separated by bars. */
export const phrases: Readonly<Record<string, string>> = {
  ca:
    'feix de protons|pont de fusta|bicicleta rovellada|factura pendent' +
    '|declaració de renda|adreça d’enviament|contrasenya oblidada|cistella buida' +
    '|finestra trencada|sopa deliciosa|on és en Tomàs?|espereu si us plau|moltes gràcies' +
    '|gireu a l’esquerra|música alta|ganivet de cuina|esmorzar saludable|pluja|tornavís' +
    '|barri tranquil|pensarós|accionistes|el far|tanca la sessió|afegeix a la cistella' +
    '|privadesa|llegeix més|canvi climàtic|llac gelat|informe trimestral|pa amb tomàquet' +
    '|dia festiu|turó costerut|llops afamats|ella canta bé|dos quarts de deu' +
    '|camí de terra|permís sense sou|falta d’ortografia|vols barats|paraigua negre' +
    '|tarifes ocultes|camp de blat|acer inoxidable|torn de nit|fins demà|full de càlcul' +
    '|gos abandonat|sabates noves|clau perduda',
  cs:
    'dřevěný most|rezavé kolo|dobré ráno|jak se máš?|nezaplacená faktura|zapomenuté heslo' +
    '|prázdný košík|rozbité okno|výborná polévka|děkuji mnohokrát|maják|číst dál' +
    '|změna klimatu|levné letenky',
  da:
    'træbro|rusten cykel|god morgen|hvordan går det?|ubetalt regning|glemt adgangskode' +
    '|tom kurv|knust vindue|lækker suppe|mange tak|drej til venstre|fyrtårn|skruetrækker' +
    '|læs mere|klimaforandringer|vi ses i morgen',
  de:
    'Protonenstrahl|Guten Morgen|Wie geht es dir?|Holzbrücke|rostiges altes Fahrrad' +
    '|Heizkosten|Steuererklärung|offene Rechnung|Lieferadresse|Passwort vergessen' +
    '|leerer Korb|kaputtes Fenster|leckere Suppe|Wo ist Tom?|bitte warten|vielen Dank' +
    '|hier links abbiegen|laute Musik|Frühjahrsputz|Küchenmesser|gesundes Frühstück' +
    '|Niederschlag|Schraubenzieher|Nachbarschaft|nachdenklich|Aktionäre|Leuchtturm' +
    '|Abmelden|In den Warenkorb|Datenschutz|Mehr lesen|Klimawandel|zugefrorener See' +
    '|Quartalsbericht|Butterbrot|Feiertag|steiler Hügel|hungrige Wölfe|sie singt gut' +
    '|halb zehn|Kiesweg|unbezahlter Urlaub|Rechtschreibfehler|billige Flüge' +
    '|schwarzer Regenschirm|versteckte Gebühren|Weizenfeld|Edelstahl|Nachtschicht' +
    '|Bis morgen',
  el: 'ξύλινη γέφυρα|καλημέρα|τι κάνεις;|ευχαριστώ πολύ',
  en:
    'proton beam|wooden bridge|rusty old bicycle|heating bill|tax return|invoice overdue' +
    '|shipping address|forgotten password|empty basket|broken window|delicious soup' +
    '|where is Tom?|please wait|thank you kindly|turn left here|loud music' +
    '|spring cleaning|kitchen knife|deep sea fishing|healthy breakfast|rainfall' +
    '|screwdriver|neighbourhood|thoughtful|shareholders|lighthouse|weekend plans|sign out' +
    '|add to cart|privacy settings|read more|track your order|climate change|frozen lake' +
    '|quarterly report|bread and butter|bank holiday|steep hill|hungry wolves' +
    '|she sings well|half past nine|gravel road|unpaid leave|spelling mistake' +
    '|cheap flights|black umbrella|hidden fees|wheat field|stainless steel|night shift',
  es:
    'haz de protones|puente de madera|bicicleta oxidada|factura pendiente' +
    '|declaración de impuestos|dirección de envío|contraseña olvidada|cesta vacía' +
    '|ventana rota|sopa deliciosa|¿dónde está Tomás?|por favor espere|muchas gracias' +
    '|gire a la izquierda|ruido molesto|cuchillo de cocina|desayuno saludable|lluvia' +
    '|destornillador|barrio tranquilo|pensativo|accionistas|el faro|cerrar sesión' +
    '|añadir al carrito|privacidad|leer más|cambio climático|lago helado' +
    '|informe trimestral|pan con mantequilla|día festivo|colina empinada' +
    '|lobos hambrientos|ella canta bien|las nueve y media|camino de tierra' +
    '|permiso sin sueldo|error ortográfico|vuelos baratos|paraguas negro|tarifas ocultas' +
    '|campo de trigo|acero inoxidable|turno de noche|hasta mañana|hoja de cálculo' +
    '|perro callejero|zapatos nuevos|llave perdida',
  fi:
    'puusilta|ruosteinen polkupyörä|hyvää huomenta|mitä kuuluu?|maksamaton lasku' +
    '|unohtunut salasana|tyhjä kori|rikkinäinen ikkuna|herkullinen keitto|kiitos paljon' +
    '|majakka|lue lisää|ilmastonmuutos|nähdään huomenna',
  fr:
    'faisceau de protons|pont en bois|vélo rouillé|facture impayée|déclaration de revenus' +
    '|adresse de livraison|mot de passe oublié|panier vide|fenêtre cassée' +
    '|soupe délicieuse|où est Thomas ?|veuillez patienter|merci beaucoup|tournez à gauche' +
    '|musique forte|couteau de cuisine|petit déjeuner|pluie battante|tournevis' +
    '|quartier calme|pensif|actionnaires|le phare|se déconnecter|ajouter au panier' +
    '|confidentialité|lire la suite|changement climatique|lac gelé|rapport trimestriel' +
    '|pain et beurre|jour férié|colline escarpée|loups affamés|elle chante bien' +
    '|neuf heures et demie|chemin de gravier|congé sans solde|faute d’orthographe' +
    '|vols pas chers|parapluie noir|frais cachés|champ de blé|acier inoxydable' +
    '|équipe de nuit|à demain|feuille de calcul|chien errant|chaussures neuves|clé perdue',
  hu:
    'fahíd|rozsdás kerékpár|jó reggelt|hogy vagy?|kifizetetlen számla|elfelejtett jelszó' +
    '|üres kosár|törött ablak|finom leves|köszönöm szépen|világítótorony|tovább olvasom' +
    '|éghajlatváltozás|olcsó repülőjegyek',
  id:
    'jembatan kayu|sepeda berkarat|selamat pagi|apa kabar?|tagihan belum dibayar' +
    '|lupa kata sandi|keranjang kosong|jendela pecah|sup lezat|terima kasih banyak' +
    '|mercusuar|baca selengkapnya|perubahan iklim|penerbangan murah',
  it:
    'fascio di protoni|ponte di legno|bicicletta arrugginita|fattura scaduta' +
    '|dichiarazione dei redditi|indirizzo di spedizione|password dimenticata' +
    '|cestino vuoto|finestra rotta|zuppa deliziosa|dov’è Tommaso?|attendere prego' +
    '|grazie mille|girare a sinistra|musica alta|coltello da cucina|colazione sana' +
    '|pioggia|cacciavite|quartiere tranquillo|pensieroso|azionisti|il faro|esci' +
    '|aggiungi al carrello|riservatezza|leggi tutto|cambiamento climatico|lago ghiacciato' +
    '|relazione trimestrale|pane e burro|giorno festivo|collina ripida|lupi affamati' +
    '|lei canta bene|le nove e mezza|strada sterrata|ferie non pagate' +
    '|errore di ortografia|voli economici|ombrello nero|costi nascosti|campo di grano' +
    '|acciaio inossidabile|turno di notte|a domani|foglio di calcolo|cane randagio' +
    '|scarpe nuove|chiave smarrita',
  ja: '木の橋|おはよう|お元気ですか|パスワードを忘れた',
  ko: '나무 다리|좋은 아침|비밀번호 찾기|감사합니다',
  nb:
    'hvordan har du det?|ubetalt regning|glemt passord|knust vindu|nydelig suppe' +
    '|tusen takk|ta til venstre|skrutrekker|les mer|klimaendringer|vi sees i morgen' +
    '|billige flybilletter',
  nl:
    'protonenbundel|houten brug|verroeste fiets|goedemiddag|hoe gaat het?' +
    '|openstaande rekening|wachtwoord vergeten|lege mand|gebroken raam|heerlijke soep' +
    '|dank je wel|sla linksaf|vuurtoren|schroevendraaier|meer lezen|klimaatverandering' +
    '|tot morgen|spelfout|goedkope vluchten|zwarte paraplu',
  pl:
    'wiązka protonów|drewniany most|zardzewiały rower|niezapłacona faktura' +
    '|zapomniane hasło|pusty koszyk|stłuczone okno|pyszna zupa|dziękuję bardzo' +
    '|skręć w lewo|latarnia morska|śrubokręt|czytaj dalej|zmiana klimatu|do jutra' +
    '|tanie loty',
  pt:
    'feixe de prótons|ponte de madeira|bicicleta enferrujada|fatura vencida' +
    '|declaração de impostos|endereço de entrega|senha esquecida|cesto vazio' +
    '|janela quebrada|sopa deliciosa|onde está o Tomás?|aguarde por favor|muito obrigado' +
    '|vire à esquerda|música alta|faca de cozinha|café da manhã|chuva forte' +
    '|chave de fenda|bairro tranquilo|pensativo|acionistas|o farol|sair da conta' +
    '|adicionar ao carrinho|privacidade|leia mais|mudança climática|lago congelado' +
    '|relatório trimestral|pão com manteiga|feriado|colina íngreme|lobos famintos' +
    '|ela canta bem|nove e meia|estrada de terra|licença sem vencimento|erro ortográfico' +
    '|voos baratos|guarda-chuva preto|taxas ocultas|campo de trigo|aço inoxidável' +
    '|turno da noite|até amanhã|folha de cálculo|cão vadio|sapatos novos|chave perdida',
  ro:
    'pod de lemn|bicicletă ruginită|bună dimineața|ce mai faci?|factură neplătită' +
    '|parolă uitată|coș gol|fereastră spartă|supă delicioasă|mulțumesc mult|far' +
    '|citește mai mult|schimbări climatice|zboruri ieftine',
  ru:
    'деревянный мост|ржавый велосипед|доброе утро|как дела?|забыли пароль|пустая корзина' +
    '|разбитое окно|большое спасибо|маяк|читать далее',
  sv:
    'träbro|rostig cykel|god morgon|hur mår du?|obetald faktura|glömt lösenord|tom korg' +
    '|trasigt fönster|utsökt soppa|tack så mycket|sväng vänster|fyrtorn|skruvmejsel' +
    '|läs mer|klimatförändring|vi ses imorgon',
  tr:
    'ahşap köprü|paslı bisiklet|günaydın|nasılsın?|ödenmemiş fatura|şifremi unuttum' +
    '|boş sepet|kırık pencere|lezzetli çorba|çok teşekkürler|deniz feneri|devamını oku' +
    '|iklim değişikliği|ucuz uçuşlar',
  uk:
    'дерев’яний міст|іржавий велосипед|доброго ранку|як справи?|забули пароль' +
    '|порожній кошик|розбите вікно|щиро дякую|читати далі|дешеві квитки',
  vi:
    'cầu gỗ|xe đạp cũ|chào buổi sáng|bạn khỏe không?|quên mật khẩu|giỏ hàng trống' +
    '|cửa sổ vỡ|cảm ơn nhiều|hải đăng|đọc thêm',
  zh: '木桥|早上好|你好吗|忘记密码',
};

/** More phrases in languages without a word list that the default engines do not translate. */
export const phrasesOfOthers: Readonly<Record<string, string>> = {
  cs:
    'dobrou noc|kde je klíč?|studené pivo|na shledanou|ztracené zavazadlo|nouzový východ' +
    '|jsem unavený|káva s mlékem|kolik ti je let?|sluneční brýle|doprava zdarma|ztratil jsem se',
  fi:
    'hyvää yötä|missä avain on?|kylmä olut|nähdään pian|kadonnut matkatavara|hätäuloskäynti' +
    '|olen väsynyt|kahvia ja maitoa|kuinka vanha olet?|aurinkolasit|ilmainen toimitus' +
    '|olen eksyksissä',
  hu:
    'jó éjszakát|hol a kulcs?|hideg sör|viszlát holnap|elveszett csomag|vészkijárat' +
    '|fáradt vagyok|kávé tejjel|hány éves vagy?|napszemüveg|ingyenes szállítás|eltévedtem',
  id:
    'selamat malam|di mana kuncinya?|bir dingin|sampai jumpa lagi|bagasi hilang|pintu darurat' +
    '|saya lelah|kopi susu|berapa umurmu?|kacamata hitam|pengiriman gratis|saya tersesat',
  nl:
    'tot straks|waar is de sleutel?|koud bier|slaap lekker|verloren bagage|nooduitgang' +
    '|ik ben moe|koffie met melk|hoe oud ben je?|zonnebril|gratis bezorging|ik ben verdwaald',
  pl:
    'dobranoc|gdzie jest klucz?|zimne piwo|do zobaczenia|zgubiony bagaż|jestem zmęczony' +
    '|kawa z mlekiem|wyjście awaryjne|ile masz lat?|okulary słoneczne|darmowa dostawa' +
    '|zgubiłem się',
  ro:
    'mi-e frig|unde este cheia?|noapte bună|la revedere|bagaj pierdut|ieșire de urgență' +
    '|mi-e somn|o cafea mare|câți ani ai?|livrare gratuită|ochelari de soare|m-am rătăcit',
  sv:
    'god kväll|var är nyckeln?|kall öl|vi ses snart|förlorat bagage|nödutgång|jag är trött' +
    '|kaffe med mjölk|hur gammal är du?|solglasögon|fri leverans|jag har gått vilse',
  sw: 'habari yako|asante sana',
  tr:
    'iyi geceler|anahtar nerede?|soğuk bira|görüşürüz|kayıp bagaj|acil çıkış|çok yorgunum' +
    '|sütlü kahve|kaç yaşındasın?|güneş gözlüğü|ücretsiz teslimat|kayboldum',
};
