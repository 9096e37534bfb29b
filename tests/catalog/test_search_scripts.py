"""A query in any script finds the tool it names or describes ("Discovery")."""

import pytest

from connecta.catalog.search import SearchRequest, search
from tests.fixtures.shelf import catalog, tool

SHELF = catalog(
    "desk",
    tool("search_invoices", "Find invoices by customer"),
    tool("查找邮件", "按发件人查找收件箱里的邮件"),
    tool("create_ticket", "新しいサポートチケットを作成します"),
    tool("ファイル削除", "Deletes a file for good"),
    tool("파일_찾기", "이름으로 문서 검색"),
    tool("найти_заметку", "Поиск по всем заметкам пользователя"),
    tool("удалитьФайл", "Удаляет файл с диска"),
    tool("créer_événement", "Ajoute un rendez-vous à l'agenda"),
    tool("Größe_ändern", "Passt die Größe eines Bildes an"),
    tool("tìm_đơn_hàng", "Tìm đơn hàng của khách"),
    tool("zamówienia", "Łączna lista zamówień"),
    tool("αναζήτηση_αρχείων", "Βρίσκει αρχεία στον δίσκο"),
    tool("חיפוש_קבצים", "מחפש קבצים בתיקייה"),
    tool("بحث_الملفات", "يبحث عن الملفات في المجلد"),
    tool("ค้นหาไฟล์", "ค้นหาไฟล์ในโฟลเดอร์"),
    tool("फ़ाइल_खोजें", "फ़ोल्डर में फ़ाइल खोजता है"),
    tool("export_報表_pdf", "Writes the monthly report"),
)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("邮件", "查找邮件"),
        ("请在收件箱里找发件人的信", "查找邮件"),
        ("サポートチケット", "create_ticket"),
        ("ﾌｧｲﾙを削除したい", "ファイル削除"),
        ("파일을 찾아줘", "파일_찾기"),
        ("заметки", "найти_заметку"),
        ("НАЙТИ ЗАМЕТКУ", "найти_заметку"),
        ("удалить файлы", "удалитьФайл"),
        ("creer evenement", "créer_événement"),
        ("CRÉER un ÉVÉNEMENT", "créer_événement"),
        ("cre\u0301er e\u0301ve\u0301nement", "créer_événement"),
        ("GROESSE größe", "Größe_ändern"),
        ("grosse andern", "Größe_ändern"),
        ("don", "tìm_đơn_hàng"),
        ("laczna", "zamówienia"),
        ("αναζητηση αρχειων", "αναζήτηση_αρχείων"),
        ("קְבָצִים", "חיפוש_קבצים"),
        ("الملفّات", "بحث_الملفات"),
        ("ช่วยค้นหาไฟล์หน่อย", "ค้นหาไฟล์"),
        ("फ़ाइल खोजें", "फ़ाइल_खोजें"),
        ("把報表匯出成 pdf", "export_報表_pdf"),
        ("export the 報表 as ＰＤＦ", "export_報表_pdf"),
        ("найди invoices customer", "search_invoices"),
    ],
)
def test_words_of_any_script_find_their_tool(query: str, name: str) -> None:
    page = search([SHELF], {}, SearchRequest(query), [SHELF.connector])
    rows = page["tools"]
    assert isinstance(rows, list)
    assert [row["name"] for row in rows if isinstance(row, dict)][:1] == [name]


@pytest.mark.parametrize("query", ["邮局", "подъезд", "événementiel", "찾", "ถนน"])
def test_a_word_no_tool_has_finds_nothing(query: str) -> None:
    """No substring matching, in no script."""
    assert search([SHELF], {}, SearchRequest(query), [SHELF.connector])["total"] == 0
